// Made by scripts/types.mjs from /asyncapi.json of the server; `npm run types` makes it anew.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export type components = {
    schemas: {
        /**
         * Ack
         * @description A command has taken effect.
         */
        Ack: {
            /**
             * Type
             * @default ack
             * @constant
             */
            type?: "ack";
            /**
             * Key
             * @default null
             */
            key?: string | null;
            /**
             * Step
             * @description Steps taken when it took effect; the next step sees it.
             */
            step: number;
            /**
             * Results
             * @description One for each command, as its REST call answers.
             */
            results: {
                [key: string]: unknown;
            }[];
        };
        /**
         * Closing
         * @description The server closes the socket after this message, with a code that says the same.
         */
        Closing: {
            /**
             * Type
             * @default closing
             * @constant
             */
            type?: "closing";
            /** Reason */
            reason: string;
        };
        /**
         * Command
         * @description Change the world: all of it or nothing, in one step, answered with `ack`; as POST …/commands.
         */
        Command: {
            /**
             * Commands
             * @description Each a map with `op` and the body of its REST call.
             */
            commands: {
                [key: string]: unknown;
            }[];
            /**
             * Key
             * @default null
             */
            key?: string | null;
            /**
             * Type
             * @constant
             */
            type: "command";
        };
        /**
         * ErrorMessage
         * @description A message of the client was refused and changed nothing, or the world failed.
         */
        ErrorMessage: {
            /**
             * Type
             * @default error
             * @constant
             */
            type?: "error";
            problem: components["schemas"]["Problem"];
            /**
             * Key
             * @description The key of the message that was refused, if it had one.
             * @default null
             */
            key?: string | null;
        };
        /**
         * EventMessage
         * @description Something happened in a step; every socket of the world is told, subscribed or not. More fields by kind.
         */
        EventMessage: {
            /**
             * Type
             * @default event
             * @constant
             */
            type?: "event";
            /**
             * Kind
             * @description `arrived`, `stalled`, `overlap`, `removed`, `non-finite`, `late`, `large-frame`, …
             */
            kind: string;
            /** Step */
            step: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * FrameMessage
         * @description The state of one step, complete; only the ids are left out when they are those of the frame before.
         */
        FrameMessage: {
            /**
             * Position
             * @default null
             */
            position?: (number | null)[][] | null;
            /**
             * Velocity
             * @default null
             */
            velocity?: (number | null)[][] | null;
            /**
             * Preferred Velocity
             * @default null
             */
            preferred_velocity?: ((number | null)[] | null)[] | null;
            /**
             * Goal
             * @default null
             */
            goal?: ((number | null)[] | null)[] | null;
            /**
             * Preferred Speed
             * @default null
             */
            preferred_speed?: (number | null)[] | null;
            /**
             * Goal Tolerance
             * @default null
             */
            goal_tolerance?: number[] | null;
            /**
             * Radius
             * @default null
             */
            radius?: number[] | null;
            /**
             * Max Speed
             * @default null
             */
            max_speed?: number[] | null;
            /**
             * Time Horizon
             * @default null
             */
            time_horizon?: number[] | null;
            /**
             * Obstacle Horizon
             * @default null
             */
            obstacle_horizon?: number[] | null;
            /**
             * Neighbor Distance
             * @default null
             */
            neighbor_distance?: number[] | null;
            /**
             * Max Neighbors
             * @default null
             */
            max_neighbors?: number[] | null;
            /**
             * Status
             * @default null
             */
            status?: string[] | null;
            /**
             * Type
             * @default frame
             * @constant
             */
            type?: "frame";
            /** Step */
            step: number;
            /** Time */
            time: number;
            /**
             * Since
             * @description Step of the full or frame that this socket was sent before this one.
             */
            since: number;
            /**
             * Ids
             * @description Left out when the same, in the same order, as the time before.
             * @default null
             */
            ids?: number[] | null;
            /**
             * Entered
             * @description Ids that are here now and were not at `since`.
             */
            entered: number[];
            /**
             * Left
             * @description Ids that were here at `since` and are not now.
             */
            left: number[];
        };
        /**
         * Full
         * @description The whole state of a step: the answer to `subscribe`, equal to GET …/agents at that step.
         */
        Full: {
            /**
             * Position
             * @default null
             */
            position?: (number | null)[][] | null;
            /**
             * Velocity
             * @default null
             */
            velocity?: (number | null)[][] | null;
            /**
             * Preferred Velocity
             * @default null
             */
            preferred_velocity?: ((number | null)[] | null)[] | null;
            /**
             * Goal
             * @default null
             */
            goal?: ((number | null)[] | null)[] | null;
            /**
             * Preferred Speed
             * @default null
             */
            preferred_speed?: (number | null)[] | null;
            /**
             * Goal Tolerance
             * @default null
             */
            goal_tolerance?: number[] | null;
            /**
             * Radius
             * @default null
             */
            radius?: number[] | null;
            /**
             * Max Speed
             * @default null
             */
            max_speed?: number[] | null;
            /**
             * Time Horizon
             * @default null
             */
            time_horizon?: number[] | null;
            /**
             * Obstacle Horizon
             * @default null
             */
            obstacle_horizon?: number[] | null;
            /**
             * Neighbor Distance
             * @default null
             */
            neighbor_distance?: number[] | null;
            /**
             * Max Neighbors
             * @default null
             */
            max_neighbors?: number[] | null;
            /**
             * Status
             * @default null
             */
            status?: string[] | null;
            /**
             * Type
             * @default full
             * @constant
             */
            type?: "full";
            /** Step */
            step: number;
            /** Time */
            time: number;
            /** Ids */
            ids: number[];
        };
        /**
         * Got
         * @description Every frame up to `step` has arrived and been used.
         */
        Got: {
            /**
             * Type
             * @constant
             */
            type: "got";
            /** Step */
            step: number;
        };
        /**
         * Heartbeat
         * @description Sent when nothing else has been for a while, so that proxies keep the connection.
         */
        Heartbeat: {
            /**
             * Type
             * @default heartbeat
             * @constant
             */
            type?: "heartbeat";
            /** Step */
            step: number;
        };
        /**
         * Hello
         * @description The first message of every socket.
         */
        Hello: {
            /**
             * Type
             * @default hello
             * @constant
             */
            type?: "hello";
            /** World */
            world: string;
            /**
             * Step
             * @description Steps taken so far.
             */
            step: number;
            /** Time */
            time: number;
            /** Time Step */
            time_step: number;
            /**
             * Profile
             * @description Profile of the world's options.
             */
            profile: string;
            /**
             * Limits
             * @description Limits of this server that a client can meet.
             */
            limits: {
                [key: string]: number;
            };
        };
        /**
         * InterestAll
         * @description Every agent of the world.
         */
        InterestAll: {
            /**
             * Kind
             * @constant
             */
            kind: "all";
        };
        /**
         * Ping
         * @description Ask for a `pong` with the same `data`.
         */
        Ping: {
            /**
             * Type
             * @constant
             */
            type: "ping";
            /**
             * Data
             * @default null
             */
            data?: string | boolean | number | null;
        };
        /**
         * Pong
         * @description The answer to `ping`, with its `data`.
         */
        Pong: {
            /**
             * Type
             * @default pong
             * @constant
             */
            type?: "pong";
            /**
             * Data
             * @default null
             */
            data?: string | boolean | number | null;
        };
        /**
         * Problem
         * @description A problem document (RFC 9457), as REST answers; more members by code.
         */
        Problem: {
            /** Type */
            type: string;
            /** Title */
            title: string;
            /** Status */
            status: number;
            /** Code */
            code: string;
            /** Detail */
            detail: string;
            /** Errors */
            errors: components["schemas"]["ProblemEntry"][];
        } & {
            [key: string]: unknown;
        };
        /**
         * ProblemEntry
         * @description One fault: which item, which field, what would be right.
         */
        ProblemEntry: {
            /** Item */
            item: number | null;
            /** Field */
            field: string | null;
            /** Message */
            message: string;
        };
        /**
         * Step
         * @description Advance a manual world, answered with `stepped`; as POST …/steps.
         */
        Step: {
            /**
             * Count
             * @description How many steps.
             * @default 1
             */
            count?: number;
            /**
             * Expected Step
             * @description Refuse with 409 unless this many steps were taken.
             * @default null
             */
            expected_step?: number | null;
            /**
             * Commands
             * @description As in POST …/commands; they and the steps are one.
             * @default null
             */
            commands?: {
                [key: string]: unknown;
            }[] | null;
            /**
             * Key
             * @default null
             */
            key?: string | null;
            /**
             * Return
             * @description What the answer shows beside the events.
             * @default none
             * @enum {string}
             */
            return?: "none" | "digest" | "agents";
            /**
             * Fields
             * @description With `return: agents`: columns beside the ids; position and velocity.
             * @default null
             */
            fields?: string[] | null;
            /**
             * Ids
             * @description With `return: agents`: only these; in MessagePack also a bin of int64.
             * @default null
             */
            ids?: unknown;
            /**
             * Type
             * @constant
             */
            type: "step";
        };
        /**
         * Stepped
         * @description The steps that were asked for have been taken.
         */
        Stepped: {
            /**
             * Type
             * @default stepped
             * @constant
             */
            type?: "stepped";
            /**
             * Key
             * @default null
             */
            key?: string | null;
            /** Step */
            step: number;
            /** Time */
            time: number;
            /**
             * Digest
             * @default null
             */
            digest?: string | null;
            /**
             * Agents
             * @description With `return: agents`: `ids` and the columns.
             * @default null
             */
            agents?: {
                [key: string]: unknown;
            } | null;
            /** Events */
            events: {
                [key: string]: unknown;
            }[];
            /**
             * Events Left Out
             * @description True where there were more events than the limit.
             * @default null
             */
            events_left_out?: boolean | null;
            /**
             * Results
             * @description With `commands`: one for each, as in `ack`.
             * @default null
             */
            results?: {
                [key: string]: unknown;
            }[] | null;
        };
        /**
         * Subscribe
         * @description Send `full` now, then a frame for every step divisible by `every`; takes the place of an earlier subscribe.
         */
        Subscribe: {
            /**
             * Type
             * @constant
             */
            type: "subscribe";
            /**
             * Fields
             * @description Columns beside the ids, each at most once.
             * @default [
             *       "position",
             *       "velocity"
             *     ]
             */
            fields?: ("position" | "velocity" | "preferred_velocity" | "goal" | "preferred_speed" | "goal_tolerance" | "radius" | "max_speed" | "time_horizon" | "obstacle_horizon" | "neighbor_distance" | "max_neighbors" | "status")[];
            /**
             * Precision
             * @description Of the number columns, not of the ids.
             * @default float64
             * @enum {string}
             */
            precision?: "float32" | "float64";
            /**
             * Every
             * @description Take the frames of steps divisible by this.
             * @default 1
             */
            every?: number;
            /**
             * Delivery
             * @description `latest`: a frame that was not sent yet is replaced by a newer one, and `since` shows the gap. `every`: nothing is left out, and a reader that falls too far behind is closed with 4001.
             * @default latest
             * @enum {string}
             */
            delivery?: "latest" | "every";
            /**
             * @description Which agents.
             * @default {
             *       "kind": "all"
             *     }
             */
            interest?: components["schemas"]["InterestAll"];
            /**
             * Window
             * @description With `latest`, how many frames may be on their way. Naming it, or sending one `got`, means that the client acknowledges with `got`; until then a frame has arrived when the ping behind it is answered.
             * @default 3
             */
            window?: number;
        };
        /**
         * Unsubscribe
         * @description Send no more frames.
         */
        Unsubscribe: {
            /**
             * Type
             * @constant
             */
            type: "unsubscribe";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
