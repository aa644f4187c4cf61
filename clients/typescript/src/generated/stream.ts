// Made by scripts/types.mjs from /asyncapi.json of the server; `npm run types` makes it anew.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export type components = {
    schemas: {
        /**
         * Ack
         * @description A command, a registration or a change of owners has taken effect.
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
             * Sequence
             * @description Its place in the one order of all changes of the world; a registration has none.
             * @default null
             */
            sequence?: number | null;
            /**
             * Results
             * @description One for each command, as its REST call answers; to a controller `{controller, owned}`.
             */
            results: {
                [key: string]: unknown;
            }[];
        };
        /**
         * Base
         * @description Values of the keyframe, row by row the agents of `based`; float32.
         */
        Base: {
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
         * Disown
         * @description Give these agents back, all of them or none, answered with `ack`; needs `register` first.
         */
        Disown: {
            /**
             * Type
             * @constant
             */
            type: "disown";
            /**
             * Ids
             * @description A list of ids, in MessagePack also a bin of int64.
             */
            ids: unknown;
            /**
             * Key
             * @default null
             */
            key?: string | null;
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
             * @description `arrived`, `arrived-crowded`, `stalled`, `blocked`, `overlap`, `removed`, `non-finite`, `late`, `barrier-timeout`, `large-frame`, `gap`, …
             */
            kind: string;
            /** Step */
            step: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * FrameMessage
         * @description What differs from the state at `since`: those who left, those who entered, and the rows of `ids`.
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
             * Weight
             * @default null
             */
            weight?: number[] | null;
            /**
             * Priority
             * @default null
             */
            priority?: number[] | null;
            /**
             * Locked
             * @default null
             */
            locked?: boolean[] | null;
            /**
             * Avoidance
             * @default null
             */
            avoidance?: boolean[] | null;
            /**
             * Layer
             * @default null
             */
            layer?: number[] | null;
            /**
             * Mask
             * @default null
             */
            mask?: number[] | null;
            /**
             * Elevation
             * @default null
             */
            elevation?: number[] | null;
            /**
             * Height
             * @default null
             */
            height?: number[] | null;
            /**
             * Group
             * @default null
             */
            group?: number[] | null;
            /**
             * Group Mode
             * @default null
             */
            group_mode?: string[] | null;
            /**
             * Quality
             * @default null
             */
            quality?: string[] | null;
            /**
             * Max Acceleration
             * @default null
             */
            max_acceleration?: (number | null)[] | null;
            /**
             * Max Turning Rate
             * @default null
             */
            max_turning_rate?: (number | null)[] | null;
            /**
             * Forward Preference
             * @default null
             */
            forward_preference?: number[] | null;
            /**
             * Heading
             * @default null
             */
            heading?: ((number | null)[] | null)[] | null;
            /**
             * Guidance
             * @default null
             */
            guidance?: string[] | null;
            /**
             * Status
             * @default null
             */
            status?: string[] | null;
            /**
             * Cooperation
             * @default null
             */
            cooperation?: string[] | null;
            /**
             * Waits For
             * @default null
             */
            waits_for?: (number | null)[] | null;
            /**
             * Keyframe
             * @description Which keyframe the whole numbers stand beside.
             * @default null
             */
            keyframe?: number | null;
            /**
             * @description Of this message alone.
             * @default null
             */
            scale?: components["schemas"]["Scale"] | null;
            /**
             * Based
             * @description Agents whose base is in this message; the client keeps it.
             * @default null
             */
            based?: number[] | null;
            /** @default null */
            base?: components["schemas"]["Base"] | null;
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
             * @description Whose the rows are. Left out: every agent that the client knows, in the order of the last list.
             * @default null
             */
            ids?: number[] | null;
            /**
             * Entered
             * @description Ids that are of the interest now and were not at `since`; their rows follow.
             */
            entered: number[];
            /**
             * Left
             * @description Ids that were of the interest at `since` and are not now.
             */
            left: number[];
        };
        /**
         * Full
         * @description The whole state within the interest: the answer to `subscribe`, equal to GET …/agents at that step.
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
             * Weight
             * @default null
             */
            weight?: number[] | null;
            /**
             * Priority
             * @default null
             */
            priority?: number[] | null;
            /**
             * Locked
             * @default null
             */
            locked?: boolean[] | null;
            /**
             * Avoidance
             * @default null
             */
            avoidance?: boolean[] | null;
            /**
             * Layer
             * @default null
             */
            layer?: number[] | null;
            /**
             * Mask
             * @default null
             */
            mask?: number[] | null;
            /**
             * Elevation
             * @default null
             */
            elevation?: number[] | null;
            /**
             * Height
             * @default null
             */
            height?: number[] | null;
            /**
             * Group
             * @default null
             */
            group?: number[] | null;
            /**
             * Group Mode
             * @default null
             */
            group_mode?: string[] | null;
            /**
             * Quality
             * @default null
             */
            quality?: string[] | null;
            /**
             * Max Acceleration
             * @default null
             */
            max_acceleration?: (number | null)[] | null;
            /**
             * Max Turning Rate
             * @default null
             */
            max_turning_rate?: (number | null)[] | null;
            /**
             * Forward Preference
             * @default null
             */
            forward_preference?: number[] | null;
            /**
             * Heading
             * @default null
             */
            heading?: ((number | null)[] | null)[] | null;
            /**
             * Guidance
             * @default null
             */
            guidance?: string[] | null;
            /**
             * Status
             * @default null
             */
            status?: string[] | null;
            /**
             * Cooperation
             * @default null
             */
            cooperation?: string[] | null;
            /**
             * Waits For
             * @default null
             */
            waits_for?: (number | null)[] | null;
            /**
             * Keyframe
             * @description Which keyframe the whole numbers stand beside.
             * @default null
             */
            keyframe?: number | null;
            /**
             * @description Of this message alone.
             * @default null
             */
            scale?: components["schemas"]["Scale"] | null;
            /**
             * Based
             * @description Agents whose base is in this message; the client keeps it.
             * @default null
             */
            based?: number[] | null;
            /** @default null */
            base?: components["schemas"]["Base"] | null;
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
         * InterestAround
         * @description Agents whose centre is within `radius` of where agent `id` is now, itself included; nobody once it is removed.
         */
        InterestAround: {
            /**
             * Kind
             * @constant
             */
            kind: "around";
            /**
             * Id
             * @description 0 to 2^53 - 1
             */
            id: number;
            /**
             * Radius
             * @description Agents whose centre is exactly so far count.
             */
            radius: number;
        };
        /**
         * InterestCircle
         * @description Agents whose centre is in a circle, the line included.
         */
        InterestCircle: {
            /**
             * Kind
             * @constant
             */
            kind: "circle";
            /**
             * Center
             * @description [x, y]
             */
            center: number[];
            /**
             * Radius
             * @description Agents whose centre is exactly so far count.
             */
            radius: number;
        };
        /**
         * InterestIds
         * @description The agents of a list; one that is removed leaves.
         */
        InterestIds: {
            /**
             * Kind
             * @constant
             */
            kind: "ids";
            /**
             * Ids
             * @description Each at most once; in MessagePack also a bin of int64.
             */
            ids: number[];
        };
        /**
         * InterestRectangle
         * @description Agents whose centre is in a rectangle, edges included.
         */
        InterestRectangle: {
            /**
             * Kind
             * @constant
             */
            kind: "rectangle";
            /**
             * Min
             * @description [x, y]
             */
            min: number[];
            /**
             * Max
             * @description [x, y]
             */
            max: number[];
        };
        /**
         * Own
         * @description Let nobody else order these agents, all of them or none, answered with `ack`; needs `register` first.
         */
        Own: {
            /**
             * Type
             * @constant
             */
            type: "own";
            /**
             * Ids
             * @description A list of ids, in MessagePack also a bin of int64.
             */
            ids: unknown;
            /**
             * Key
             * @default null
             */
            key?: string | null;
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
         * Ready
         * @description Orders for the next step of a barrier world are in, answered with `stepped` once that step was taken.
         */
        Ready: {
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
            type: "ready";
            /**
             * For Step
             * @description Refuse with 409 `wrong-step` unless the next step is the one of this number.
             * @default null
             */
            for_step?: number | null;
        };
        /**
         * Register
         * @description Be the controller of this name, answered with `ack`; whoever was it on another socket is `replaced`.
         */
        Register: {
            /**
             * Type
             * @constant
             */
            type: "register";
            /**
             * Controller
             * @description Letters, digits, dot, underscore, hyphen; not dots alone.
             */
            controller: string;
            /**
             * Key
             * @default null
             */
            key?: string | null;
        };
        /**
         * Resume
         * @description Go on after a step that was seen before: frames from there where it is still kept, else a `full`.
         *
         *     Members that are left out are those of this socket's subscription, or else their defaults.
         */
        Resume: {
            /**
             * Fields
             * @description Columns beside the ids, each at most once.
             * @default [
             *       "position",
             *       "velocity"
             *     ]
             */
            fields?: ("position" | "velocity" | "preferred_velocity" | "goal" | "preferred_speed" | "goal_tolerance" | "radius" | "max_speed" | "time_horizon" | "obstacle_horizon" | "neighbor_distance" | "max_neighbors" | "weight" | "priority" | "locked" | "avoidance" | "layer" | "mask" | "elevation" | "height" | "group" | "group_mode" | "quality" | "max_acceleration" | "max_turning_rate" | "forward_preference" | "heading" | "guidance" | "status" | "cooperation" | "waits_for")[];
            /**
             * Precision
             * @description Of the number columns, not of the ids. `int16` and `int8`: position and velocity as whole numbers times a scale beside the values of a keyframe, all others as float32.
             * @default float64
             * @enum {string}
             */
            precision?: "float64" | "float32" | "int16" | "int8";
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
             * Interest
             * @description Which agents.
             * @default {
             *       "kind": "all"
             *     }
             */
            interest?: components["schemas"]["InterestAll"] | components["schemas"]["InterestIds"] | components["schemas"]["InterestRectangle"] | components["schemas"]["InterestCircle"] | components["schemas"]["InterestAround"];
            /**
             * Rows
             * @description `changed`: a frame has a row for those whose values differ from those at `since`. `all`: for every agent of the interest.
             * @default changed
             * @enum {string}
             */
            rows?: "changed" | "all";
            /**
             * Window
             * @description With `latest`, how many frames may be on their way. Naming it, or sending one `got`, means that the client acknowledges with `got`; until then a frame has arrived when the ping behind it is answered.
             * @default 3
             */
            window?: number;
            /**
             * Type
             * @constant
             */
            type: "resume";
            /**
             * After Step
             * @description Step of the last full or frame that the client has used.
             */
            after_step: number;
        };
        /**
         * Scale
         * @description What the whole numbers of a column are multiplied by, a power of two.
         */
        Scale: {
            /**
             * Position
             * @default null
             */
            position?: number | null;
            /**
             * Velocity
             * @default null
             */
            velocity?: number | null;
        };
        /**
         * Step
         * @description Advance a manual world, answered with `stepped`; as POST …/steps.
         */
        Step: {
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
             * Type
             * @constant
             */
            type: "step";
        };
        /**
         * Stepped
         * @description The steps that were asked for, or the one that a controller was ready for, have been taken.
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
             * Sequence
             * @description With `commands`: their place in the order of all changes.
             * @default null
             */
            sequence?: number | null;
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
             * Fields
             * @description Columns beside the ids, each at most once.
             * @default [
             *       "position",
             *       "velocity"
             *     ]
             */
            fields?: ("position" | "velocity" | "preferred_velocity" | "goal" | "preferred_speed" | "goal_tolerance" | "radius" | "max_speed" | "time_horizon" | "obstacle_horizon" | "neighbor_distance" | "max_neighbors" | "weight" | "priority" | "locked" | "avoidance" | "layer" | "mask" | "elevation" | "height" | "group" | "group_mode" | "quality" | "max_acceleration" | "max_turning_rate" | "forward_preference" | "heading" | "guidance" | "status" | "cooperation" | "waits_for")[];
            /**
             * Precision
             * @description Of the number columns, not of the ids. `int16` and `int8`: position and velocity as whole numbers times a scale beside the values of a keyframe, all others as float32.
             * @default float64
             * @enum {string}
             */
            precision?: "float64" | "float32" | "int16" | "int8";
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
             * Interest
             * @description Which agents.
             * @default {
             *       "kind": "all"
             *     }
             */
            interest?: components["schemas"]["InterestAll"] | components["schemas"]["InterestIds"] | components["schemas"]["InterestRectangle"] | components["schemas"]["InterestCircle"] | components["schemas"]["InterestAround"];
            /**
             * Rows
             * @description `changed`: a frame has a row for those whose values differ from those at `since`. `all`: for every agent of the interest.
             * @default changed
             * @enum {string}
             */
            rows?: "changed" | "all";
            /**
             * Window
             * @description With `latest`, how many frames may be on their way. Naming it, or sending one `got`, means that the client acknowledges with `got`; until then a frame has arrived when the ping behind it is answered.
             * @default 3
             */
            window?: number;
            /**
             * Type
             * @constant
             */
            type: "subscribe";
        };
        /**
         * Unregister
         * @description Be a controller no longer, answered with `ack`; what it owns stays its own.
         */
        Unregister: {
            /**
             * Type
             * @constant
             */
            type: "unregister";
            /**
             * Key
             * @default null
             */
            key?: string | null;
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
