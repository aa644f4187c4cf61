// Made by scripts/types.mjs from /openapi.json of the server; `npm run types` makes it anew.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export type components = {
    schemas: {
        /** HTTPValidationError */
        HTTPValidationError: {
            /** Detail */
            detail?: components["schemas"]["ValidationError"][];
        };
        /** ValidationError */
        ValidationError: {
            /** Location */
            loc: (string | number)[];
            /** Message */
            msg: string;
            /** Error Type */
            type: string;
            /** Input */
            input?: unknown;
            /** Context */
            ctx?: Record<string, never>;
        };
        /**
         * AddAgentsCommand
         * @description As POST …/agents.
         */
        AddAgentsCommand: {
            /**
             * Agents
             * @description A map each.
             * @default null
             */
            agents?: components["schemas"]["NewAgent"][] | null;
            /**
             * Ids
             * @description With `columns`: the id of each row.
             * @default null
             */
            ids?: unknown;
            /**
             * Columns
             * @description A list per field, all of one length; in MessagePack also bins of float64, x0 y0 x1 …
             * @default null
             */
            columns?: {
                [key: string]: unknown;
            } | null;
            /**
             * Op
             * @constant
             */
            op: "add_agents";
        };
        /**
         * AddObstaclesCommand
         * @description As POST …/obstacles.
         */
        AddObstaclesCommand: {
            /** Obstacles */
            obstacles: components["schemas"]["ObstacleRow"][];
            /**
             * Op
             * @constant
             */
            op: "add_obstacles";
        };
        /**
         * AddWalkableCommand
         * @description As POST …/walkable.
         */
        AddWalkableCommand: {
            /** Areas */
            areas: components["schemas"]["AreaRow"][];
            /**
             * Op
             * @constant
             */
            op: "add_walkable";
        };
        /**
         * AddedAnswer
         * @description What was added, in the order of the request.
         */
        AddedAnswer: {
            /**
             * Ids
             * @description In MessagePack a bin of int64.
             */
            ids: number[];
            /** Step */
            step: number;
            /**
             * Sequence
             * @description Place in the one order of all changes of the world.
             */
            sequence: number;
            /** Warnings */
            warnings: components["schemas"]["Warning_"][];
        };
        /**
         * AgentAnswer
         * @description An agent after a change.
         */
        AgentAnswer: {
            /** Id */
            id: number;
            /** Position */
            position: number[];
            /** Velocity */
            velocity: number[];
            /** Preferred Velocity */
            preferred_velocity: number[];
            /** Goal */
            goal: number[] | null;
            /** Preferred Speed */
            preferred_speed: number;
            /** Goal Tolerance */
            goal_tolerance: number;
            /** Radius */
            radius: number;
            /** Max Speed */
            max_speed: number;
            /** Time Horizon */
            time_horizon: number;
            /** Obstacle Horizon */
            obstacle_horizon: number;
            /** Neighbor Distance */
            neighbor_distance: number;
            /** Max Neighbors */
            max_neighbors: number;
            /** Weight */
            weight: number;
            /** Priority */
            priority: number;
            /** Locked */
            locked: boolean;
            /** Avoidance */
            avoidance: boolean;
            /** Layer */
            layer: number;
            /** Mask */
            mask: number;
            /** Elevation */
            elevation: number;
            /** Height */
            height: number;
            /** Group */
            group: number;
            /**
             * Group Mode
             * @enum {string}
             */
            group_mode: "none" | "ignore" | "together";
            /**
             * Quality
             * @enum {string}
             */
            quality: "all" | "few" | "none";
            /** Max Acceleration */
            max_acceleration: number | null;
            /** Max Turning Rate */
            max_turning_rate: number | null;
            /** Forward Preference */
            forward_preference: number;
            /**
             * Heading
             * @description Unit vector, where it faces; null: nowhere yet.
             */
            heading: number[] | null;
            /**
             * Guidance
             * @enum {string}
             */
            guidance: "straight" | "path" | "flow" | "cooperative";
            /**
             * Status
             * @enum {string}
             */
            status: "no-goal" | "moving" | "arrived" | "stalled" | "arrived-crowded" | "blocked" | "unreachable" | "inside-obstacle";
            /**
             * Waiting
             * @description s for which it has got next to nothing of what it wants.
             */
            waiting: number;
            /**
             * Blocked By
             * @description The agent that it waits for in vain.
             */
            blocked_by: number | null;
            /**
             * Yields To
             * @description The agent that it lets pass.
             */
            yields_to: number | null;
            /**
             * Cooperation
             * @description What it does by a plan for all; with corridor_turns drift of who waits, else none.
             * @enum {string}
             */
            cooperation: "none" | "orca" | "drift" | "mapf" | "yield";
            /**
             * Waits For
             * @description The agent that it waits for in front of a narrow place, or makes way for.
             */
            waits_for: number | null;
            /**
             * Waypoint
             * @description With guidance `cooperative`, and only there: where it goes next.
             * @default null
             */
            waypoint?: number[] | null;
            /**
             * Corridor
             * @description With guidance `cooperative`: the narrow place that it waits for, in the order of the grid map; null where it waits for none.
             * @default null
             */
            corridor?: number | null;
            /**
             * Path
             * @description With guidance `path`, and only there: the waypoints that are left before its goal; null while its way is being planned.
             * @default null
             */
            path?: number[][] | null;
            /**
             * @description With guidance `path`, `flow` or `cooperative`: null where there is a way.
             * @default null
             */
            unreachable?: components["schemas"]["UnreachableShown"] | null;
            /** Step */
            step: number;
            /**
             * Sequence
             * @description Place in the one order of all changes of the world.
             */
            sequence: number;
            /** Warnings */
            warnings: components["schemas"]["Warning_"][];
        };
        /**
         * AgentShown
         * @description An agent with its effective values.
         */
        AgentShown: {
            /** Id */
            id: number;
            /** Position */
            position: number[];
            /** Velocity */
            velocity: number[];
            /** Preferred Velocity */
            preferred_velocity: number[];
            /** Goal */
            goal: number[] | null;
            /** Preferred Speed */
            preferred_speed: number;
            /** Goal Tolerance */
            goal_tolerance: number;
            /** Radius */
            radius: number;
            /** Max Speed */
            max_speed: number;
            /** Time Horizon */
            time_horizon: number;
            /** Obstacle Horizon */
            obstacle_horizon: number;
            /** Neighbor Distance */
            neighbor_distance: number;
            /** Max Neighbors */
            max_neighbors: number;
            /** Weight */
            weight: number;
            /** Priority */
            priority: number;
            /** Locked */
            locked: boolean;
            /** Avoidance */
            avoidance: boolean;
            /** Layer */
            layer: number;
            /** Mask */
            mask: number;
            /** Elevation */
            elevation: number;
            /** Height */
            height: number;
            /** Group */
            group: number;
            /**
             * Group Mode
             * @enum {string}
             */
            group_mode: "none" | "ignore" | "together";
            /**
             * Quality
             * @enum {string}
             */
            quality: "all" | "few" | "none";
            /** Max Acceleration */
            max_acceleration: number | null;
            /** Max Turning Rate */
            max_turning_rate: number | null;
            /** Forward Preference */
            forward_preference: number;
            /**
             * Heading
             * @description Unit vector, where it faces; null: nowhere yet.
             */
            heading: number[] | null;
            /**
             * Guidance
             * @enum {string}
             */
            guidance: "straight" | "path" | "flow" | "cooperative";
            /**
             * Status
             * @enum {string}
             */
            status: "no-goal" | "moving" | "arrived" | "stalled" | "arrived-crowded" | "blocked" | "unreachable" | "inside-obstacle";
            /**
             * Waiting
             * @description s for which it has got next to nothing of what it wants.
             */
            waiting: number;
            /**
             * Blocked By
             * @description The agent that it waits for in vain.
             */
            blocked_by: number | null;
            /**
             * Yields To
             * @description The agent that it lets pass.
             */
            yields_to: number | null;
            /**
             * Cooperation
             * @description What it does by a plan for all; with corridor_turns drift of who waits, else none.
             * @enum {string}
             */
            cooperation: "none" | "orca" | "drift" | "mapf" | "yield";
            /**
             * Waits For
             * @description The agent that it waits for in front of a narrow place, or makes way for.
             */
            waits_for: number | null;
            /**
             * Waypoint
             * @description With guidance `cooperative`, and only there: where it goes next.
             * @default null
             */
            waypoint?: number[] | null;
            /**
             * Corridor
             * @description With guidance `cooperative`: the narrow place that it waits for, in the order of the grid map; null where it waits for none.
             * @default null
             */
            corridor?: number | null;
            /**
             * Path
             * @description With guidance `path`, and only there: the waypoints that are left before its goal; null while its way is being planned.
             * @default null
             */
            path?: number[][] | null;
            /**
             * @description With guidance `path`, `flow` or `cooperative`: null where there is a way.
             * @default null
             */
            unreachable?: components["schemas"]["UnreachableShown"] | null;
        };
        /**
         * AgentsAnswer
         * @description Agents in index order, or in the order of `ids`; the columns that were asked for.
         *
         *     In MessagePack number columns are bins of little-endian float64 or float32, x0 y0 x1 y1 … for vectors; a goal that
         *     an agent does not have is null in JSON and a pair of NaN in a bin.
         */
        AgentsAnswer: {
            /** Step */
            step: number;
            /** Time */
            time: number;
            /**
             * Ids
             * @description In MessagePack a bin of int64.
             */
            ids: number[];
            /**
             * Position
             * @default null
             */
            position?: number[][] | null;
            /**
             * Velocity
             * @default null
             */
            velocity?: number[][] | null;
            /**
             * Preferred Velocity
             * @default null
             */
            preferred_velocity?: number[][] | null;
            /**
             * Goal
             * @default null
             */
            goal?: (number[] | null)[] | null;
            /**
             * Preferred Speed
             * @default null
             */
            preferred_speed?: number[] | null;
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
            group_mode?: ("none" | "ignore" | "together")[] | null;
            /**
             * Quality
             * @default null
             */
            quality?: ("all" | "few" | "none")[] | null;
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
            heading?: (number[] | null)[] | null;
            /**
             * Guidance
             * @default null
             */
            guidance?: ("straight" | "path" | "flow" | "cooperative")[] | null;
            /**
             * Status
             * @default null
             */
            status?: ("no-goal" | "moving" | "arrived" | "stalled" | "arrived-crowded" | "blocked" | "unreachable" | "inside-obstacle")[] | null;
            /**
             * Cooperation
             * @default null
             */
            cooperation?: ("none" | "orca" | "drift" | "mapf" | "yield")[] | null;
            /**
             * Waits For
             * @default null
             */
            waits_for?: (number | null)[] | null;
        };
        /**
         * AgentsBody
         * @description Agents, either as `agents`, a list of maps, or as `columns`, a map of lists (in MessagePack also bins).
         */
        AgentsBody: {
            /**
             * Agents
             * @description A map each.
             * @default null
             */
            agents?: (components["schemas"]["AgentChange"] | components["schemas"]["NewAgent"])[] | null;
            /**
             * Ids
             * @description With `columns`: the id of each row.
             * @default null
             */
            ids?: unknown;
            /**
             * Columns
             * @description A list per field, all of one length; in MessagePack also bins of float64, x0 y0 x1 …
             * @default null
             */
            columns?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * AreaRow
         * @description A walkable area: centres stay inside, radius and clearance away from its boundary. Several areas are a union.
         */
        AreaRow: {
            /**
             * Id
             * @description Left out: given by the server.
             * @default null
             */
            id?: number | null;
            geometry: components["schemas"]["Geometry"];
            /**
             * Clearance
             * @description Beyond the radius.
             * @default 0
             */
            clearance?: number;
            /**
             * Horizon
             * @description Left out: the agent's obstacle_horizon.
             * @default null
             */
            horizon?: number | null;
            /**
             * Shrunk
             * @description Whether the geometry is shrunk by the radius already.
             * @default false
             */
            shrunk?: boolean;
        };
        /**
         * AreaShown
         * @description A walkable area as it was given.
         */
        AreaShown: {
            /** Id */
            id: number;
            geometry: components["schemas"]["Geometry"];
            /** Clearance */
            clearance: number;
            /** Horizon */
            horizon: number | null;
            /** Shrunk */
            shrunk: boolean;
        };
        /**
         * AreasAnswer
         * @description All walkable areas in the order of their creation.
         */
        AreasAnswer: {
            /** Step */
            step: number;
            /** Areas */
            areas: components["schemas"]["AreaShown"][];
        };
        /**
         * AreasBody
         * @description Walkable areas to add.
         */
        AreasBody: {
            /** Areas */
            areas: components["schemas"]["AreaRow"][];
        };
        /**
         * ChangedAnswer
         * @description A change has taken effect.
         */
        ChangedAnswer: {
            /** Step */
            step: number;
            /**
             * Sequence
             * @description Place in the one order of all changes of the world.
             */
            sequence: number;
            /** Warnings */
            warnings: components["schemas"]["Warning_"][];
        };
        /**
         * ClockBody
         * @description Who decides when a step happens: whoever asks (`manual`), the server at a rate (`realtime`), or the controllers
         *     together (`barrier`).
         */
        ClockBody: {
            /**
             * Mode
             * @default manual
             * @enum {string}
             */
            mode?: "manual" | "realtime" | "barrier";
            /**
             * Rate
             * @description With `realtime`, and only there: steps a second.
             * @default null
             */
            rate?: number | null;
            /**
             * Timeout
             * @description With `barrier`, and only there: seconds after which a step waits for nobody.
             * @default null
             */
            timeout?: number | null;
        };
        /**
         * ClockShown
         * @description Who decides when a step happens.
         */
        ClockShown: {
            /**
             * Mode
             * @enum {string}
             */
            mode: "manual" | "realtime" | "barrier";
            /**
             * Rate
             * @default null
             */
            rate?: number | null;
            /**
             * Timeout
             * @default null
             */
            timeout?: number | null;
        };
        /**
         * CloseDoorCommand
         * @description As PATCH …/obstacles/{id} with `open` false, for several at once.
         */
        CloseDoorCommand: {
            /**
             * Op
             * @constant
             */
            op: "close_door";
            /**
             * Ids
             * @description A list of ids, in MessagePack also a bin of int64.
             */
            ids: unknown;
        };
        /**
         * CommandsAnswer
         * @description A batch has taken effect.
         */
        CommandsAnswer: {
            /** Step */
            step: number;
            /**
             * Sequence
             * @description Place in the one order of all changes of the world.
             */
            sequence: number;
            /**
             * Results
             * @description One a command: its REST call's answer without `step` and `sequence`.
             */
            results: {
                [key: string]: unknown;
            }[];
        };
        /**
         * CommandsBody
         * @description A batch: all of it takes effect between two steps, or none.
         */
        CommandsBody: {
            /**
             * Commands
             * @description Each a map with `op` and the body of its REST call.
             */
            commands: (components["schemas"]["AddAgentsCommand"] | components["schemas"]["SetAgentsCommand"] | components["schemas"]["RemoveAgentsCommand"] | components["schemas"]["AddObstaclesCommand"] | components["schemas"]["SetObstacleCommand"] | components["schemas"]["RemoveObstacleCommand"] | components["schemas"]["OpenDoorCommand"] | components["schemas"]["CloseDoorCommand"] | components["schemas"]["AddWalkableCommand"] | components["schemas"]["SetWalkableCommand"] | components["schemas"]["RemoveWalkableCommand"] | components["schemas"]["SetLevelOfDetailCommand"] | components["schemas"]["SetGridMapCommand"])[];
            /**
             * Key
             * @default null
             */
            key?: string | null;
        };
        /**
         * DefaultsBody
         * @description Values for what agents of this world leave out.
         */
        DefaultsBody: {
            /**
             * Radius
             * @default 0.5
             */
            radius?: number;
            /**
             * Max Speed
             * @default 1.5
             */
            max_speed?: number;
            /**
             * Preferred Speed
             * @description Left out: max_speed.
             * @default 1.5
             */
            preferred_speed?: number;
            /**
             * Time Horizon
             * @default 2
             */
            time_horizon?: number;
            /**
             * Obstacle Horizon
             * @default 2
             */
            obstacle_horizon?: number;
            /**
             * Neighbor Distance
             * @description Left out: 2 radius + 2 max_speed max(time_horizon, time_step).
             * @default 9
             */
            neighbor_distance?: number;
            /**
             * Max Neighbors
             * @default 10
             */
            max_neighbors?: number;
            /**
             * Goal Tolerance
             * @default 1e-9
             */
            goal_tolerance?: number;
            /**
             * Weight
             * @default 1
             */
            weight?: number;
            /**
             * Priority
             * @default 0
             */
            priority?: number;
            /**
             * Locked
             * @default false
             */
            locked?: boolean;
            /**
             * Avoidance
             * @default true
             */
            avoidance?: boolean;
            /**
             * Layer
             * @default 1
             */
            layer?: number;
            /**
             * Mask
             * @default 4294967295
             */
            mask?: number;
            /**
             * Elevation
             * @default 0
             */
            elevation?: number;
            /**
             * Height
             * @default 0
             */
            height?: number;
            /**
             * Group
             * @description 0 to 2^53 - 1
             * @default 0
             */
            group?: number;
            /**
             * Group Mode
             * @default none
             * @enum {string}
             */
            group_mode?: "none" | "ignore" | "together";
            /**
             * Quality
             * @default all
             * @enum {string}
             */
            quality?: "all" | "few" | "none";
            /**
             * Max Acceleration
             * @description Left out: no limit.
             * @default 1000000000
             */
            max_acceleration?: number;
            /**
             * Max Turning Rate
             * @description Left out: no limit.
             * @default 1000000000
             */
            max_turning_rate?: number;
            /**
             * Forward Preference
             * @default 0
             */
            forward_preference?: number;
            /**
             * Guidance
             * @default straight
             * @enum {string}
             */
            guidance?: "straight" | "path" | "flow" | "cooperative";
        };
        /**
         * DemoShown
         * @description A scene that can be started.
         */
        DemoShown: {
            /** Name */
            name: string;
            /** Title */
            title: string;
            /** Description */
            description: string;
            /** @description What it comes to; null where it goes on for ever. */
            figures: components["schemas"]["FiguresShown"] | null;
        };
        /**
         * DemosAnswer
         * @description All scenes.
         */
        DemosAnswer: {
            /** Demos */
            demos: components["schemas"]["DemoShown"][];
        };
        /**
         * DigestAnswer
         * @description sha256 over little-endian float64 position x, y, velocity x, y of every agent in index order.
         */
        DigestAnswer: {
            /** Step */
            step: number;
            /** Sha256 */
            sha256: string;
        };
        /**
         * DoorBody
         * @description Whether an obstacle stands open as a door.
         */
        DoorBody: {
            /** Open */
            open: boolean;
        };
        /**
         * EventShown
         * @description Something that happened in a step; more members by kind.
         *
         *     `overlap`: `other`, `depth`; `blocked`: `other`, `waited`; `no-way-past`: `other`.
         */
        EventShown: {
            /** Kind */
            kind: string;
            /** Step */
            step: number;
            /**
             * Ids
             * @description In MessagePack a bin of int64.
             */
            ids: number[];
        } & {
            [key: string]: unknown;
        };
        /**
         * ExplainAnswer
         * @description Why an agent will move as it will: neighbours, constraints, program, status.
         */
        ExplainAnswer: {
            [key: string]: unknown;
        };
        /**
         * FiguresShown
         * @description How the crowd of a scene fares, in seconds and metres.
         */
        FiguresShown: {
            /** Agents */
            agents: number;
            /** Arrived */
            arrived: number;
            /**
             * Last
             * @description When the last one arrives; null where not all do.
             */
            last: number | null;
            /**
             * Delay
             * @description Mean of what each takes longer than the free path at the preferred speed.
             */
            delay: number;
            /**
             * Overlap
             * @description Deepest of any two discs.
             */
            overlap: number;
            /**
             * Stalled
             * @description Mean time for which somebody on its way stands.
             */
            stalled: number;
            /**
             * Flow
             * @description Agents a second across the gate; null without a gate.
             */
            flow: number | null;
            /**
             * Turned
             * @description Mean of the degrees by which each turns on its way; null in a scene that is not about it.
             */
            turned: number | null;
        };
        /**
         * ForkBody
         * @description A moment of a world's past to make a new world of.
         */
        ForkBody: {
            /**
             * Step
             * @description Steps taken at that moment.
             */
            step: number;
            /**
             * Id
             * @description Of the new world; left out: given by the server.
             * @default null
             */
            id?: string | null;
            /**
             * Name
             * @description For people.
             * @default null
             */
            name?: string | null;
        };
        /**
         * Geometry
         * @description A GeoJSON Polygon or MultiPolygon: each polygon an outer ring and its holes.
         */
        Geometry: {
            /**
             * Type
             * @enum {string}
             */
            type: "Polygon" | "MultiPolygon";
            /**
             * Coordinates
             * @description Rings of [x, y]; the closing vertex may be left out.
             */
            coordinates: unknown[];
        };
        /**
         * GridMapAnswer
         * @description The grid map of the world.
         */
        GridMapAnswer: {
            /** Step */
            step: number;
            grid_map: components["schemas"]["GridMapShown"] | null;
        };
        /**
         * GridMapBody
         * @description A map of free and blocked cells for whoever plans cell by cell; nobody is held by it.
         */
        GridMapBody: {
            /**
             * Rows
             * @description From the top; `.`, `G` and `S` are free, all else is blocked.
             */
            rows: string[];
            /**
             * Cell Size
             * @description Side of a cell.
             * @default 1
             */
            cell_size?: number;
            /**
             * Origin
             * @description Where the lower left corner of the map lies.
             * @default [
             *       0,
             *       0
             *     ]
             */
            origin?: number[];
        };
        /**
         * GridMapShown
         * @description A map of free and blocked cells.
         */
        GridMapShown: {
            /**
             * Rows
             * @description From the top; `.` is free, `@` is blocked.
             */
            rows: string[];
            /** Cell Size */
            cell_size: number;
            /**
             * Origin
             * @description Where the lower left corner of the map lies.
             */
            origin: number[];
        };
        /**
         * GuidanceBody
         * @description Plans for all agents with guidance `cooperative`, which is what agents of such a world have where left out.
         */
        GuidanceBody: {
            /**
             * Variant
             * @description orca: a path each; corca: a plan for all, and turns in narrow places; -mapf: those who lock each other up are taken apart by a plan of their own.
             * @enum {string}
             */
            variant: "orca" | "orca-mapf" | "corca" | "corca-mapf";
            /**
             * Init Algo
             * @description How the first plan is made.
             * @default PP
             * @enum {string}
             */
            init_algo?: "PP" | "PIBT";
            /**
             * Neighbor Size
             * @description Agents that are planned anew in one iteration.
             * @default 8
             */
            neighbor_size?: number;
            /**
             * Max Iterations
             * @description By which a plan is made shorter.
             * @default 0
             */
            max_iterations?: number;
        };
        /**
         * HealthAnswer
         * @description How the server is.
         */
        HealthAnswer: {
            /** Status */
            status: string;
        };
        /**
         * InfoAnswer
         * @description What this server is.
         */
        InfoAnswer: {
            /** Version */
            version: string;
            /**
             * Clients
             * @description By name of a client the oldest version that is taken.
             */
            clients: {
                [key: string]: string;
            };
            /**
             * Kernels
             * @description Digest of the kernels and of the compiler: equal on two servers, equal bits.
             */
            kernels: string;
            /** Engine */
            engine: string;
            /** Durability */
            durability: string[];
            /** Limits */
            limits: {
                [key: string]: number;
            };
            /**
             * Options
             * @description Per profile the value of every option.
             */
            options: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /**
             * Scope
             * @description What the key of the request allows; `admin` where the server wants no key.
             * @enum {string}
             */
            scope: "read" | "control" | "admin";
        };
        /**
         * LeaseAnswer
         * @description Who may step.
         */
        LeaseAnswer: {
            /** Holder */
            holder: string;
            /**
             * Expires
             * @description Seconds since 1970-01-01 UTC by the server's clock.
             */
            expires: number;
        };
        /**
         * LeaseBody
         * @description The right to step, for a time.
         */
        LeaseBody: {
            /**
             * Holder
             * @description Named again in the header Orca-Crowd-Lease of each step request.
             */
            holder: string;
            /**
             * Ttl
             * @description Seconds.
             */
            ttl: number;
        };
        /**
         * LevelOfDetailBody
         * @description Where detail matters, and what becomes of agents farther than `distance` from all of it.
         */
        LevelOfDetailBody: {
            /**
             * Distance
             * @description From every point and box (m); with none of them everybody is farther.
             */
            distance: number;
            /**
             * Every
             * @description They are solved when (step + index) mod every is 0; else they go on.
             * @default 1
             */
            every?: number;
            /**
             * Neighbors
             * @description How many neighbours count for them at most; null: as many as do.
             * @default null
             */
            neighbors?: number | null;
            /**
             * Points
             * @description At most 64, boxes included.
             */
            points?: number[][];
            /**
             * Boxes
             * @description [min x, min y, max x, max y] each.
             */
            boxes?: number[][];
        };
        /**
         * NewWorld
         * @description A world to make.
         */
        NewWorld: {
            /**
             * Id
             * @description Left out: given by the server.
             * @default null
             */
            id?: string | null;
            /**
             * Name
             * @description For people.
             * @default null
             */
            name?: string | null;
            /**
             * Time Step
             * @description Seconds of the world that a step takes; at least 1e-6.
             */
            time_step: number;
            /**
             * @default {
             *       "mode": "manual",
             *       "rate": null,
             *       "timeout": null
             *     }
             */
            clock?: components["schemas"]["ClockBody"];
            defaults?: components["schemas"]["DefaultsBody"];
            options?: components["schemas"]["OptionsBody"];
            /**
             * @description Agents follow plans made for all of them on the grid map of the world; null: each by itself.
             * @default null
             */
            guidance?: components["schemas"]["GuidanceBody"] | null;
            /**
             * Seed
             * @description Decides what the options decide by chance; the same seed, the same bits.
             * @default 0
             */
            seed?: number;
            /**
             * Durability
             * @description What an acknowledged change survives: nothing, the death of the process, or the loss of power. Left out: process, and none on a server that keeps no data.
             * @default null
             */
            durability?: ("none" | "process" | "power") | null;
            /**
             * Ttl
             * @description Seconds without a request or a watcher after which the world is put away until it is asked for again, or deleted where its durability is none.
             * @default null
             */
            ttl?: number | null;
        };
        /**
         * ObstacleRow
         * @description Two-sided segments from point to point, and back to the first where closed.
         */
        ObstacleRow: {
            /**
             * Id
             * @description Left out: given by the server.
             * @default null
             */
            id?: number | null;
            /** Points */
            points: number[][];
            /**
             * Closed
             * @default false
             */
            closed?: boolean;
            /**
             * Z Range
             * @description From the lower to the upper height at which it stands; null or left out: at all heights.
             * @default null
             */
            z_range?: number[] | null;
            /**
             * Open
             * @description A door that stands open: it does not act until it is closed.
             * @default false
             */
            open?: boolean;
        };
        /**
         * ObstacleShown
         * @description Two-sided segments.
         */
        ObstacleShown: {
            /** Id */
            id: number;
            /** Points */
            points: number[][];
            /** Closed */
            closed: boolean;
            /** Open */
            open: boolean;
            /**
             * Z Range
             * @description From the lower to the upper height at which it stands; null: at all.
             */
            z_range: number[] | null;
        };
        /**
         * ObstaclesAnswer
         * @description All obstacles in the order of their creation.
         */
        ObstaclesAnswer: {
            /** Step */
            step: number;
            /** Obstacles */
            obstacles: components["schemas"]["ObstacleShown"][];
        };
        /**
         * ObstaclesBody
         * @description Obstacles to add.
         */
        ObstaclesBody: {
            /** Obstacles */
            obstacles: components["schemas"]["ObstacleRow"][];
        };
        /**
         * OpenDoorCommand
         * @description As PATCH …/obstacles/{id} with `open` true, for several at once.
         */
        OpenDoorCommand: {
            /**
             * Op
             * @constant
             */
            op: "open_door";
            /**
             * Ids
             * @description A list of ids, in MessagePack also a bin of int64.
             */
            ids: unknown;
        };
        /**
         * OptionsBody
         * @description What the world does beyond the normative text; single options override the profile.
         */
        OptionsBody: {
            /**
             * Profile
             * @default service
             * @enum {string}
             */
            profile?: "service" | "text";
            /**
             * Part Coincident
             * @default true
             */
            part_coincident?: boolean;
            /**
             * Break Symmetry
             * @default true
             */
            break_symmetry?: boolean;
            /**
             * Stop At Walls
             * @default true
             */
            stop_at_walls?: boolean;
            /**
             * Clamp Preferred Velocity
             * @default true
             */
            clamp_preferred_velocity?: boolean;
            /**
             * Stop Non Finite
             * @default true
             */
            stop_non_finite?: boolean;
            /**
             * Merge Collinear
             * @default true
             */
            merge_collinear?: boolean;
            /**
             * Walkable Surface
             * @default true
             */
            walkable_surface?: boolean;
            /**
             * Leave Obstacles
             * @default true
             */
            leave_obstacles?: boolean;
            /**
             * One Side Of Walls
             * @default true
             */
            one_side_of_walls?: boolean;
            /**
             * Settle Crowds
             * @default true
             */
            settle_crowds?: boolean;
            /**
             * Detect Blocked
             * @default true
             */
            detect_blocked?: boolean;
            /**
             * Bias Blocked
             * @default true
             */
            bias_blocked?: boolean;
            /**
             * Courtesy
             * @default true
             */
            courtesy?: boolean;
            /**
             * Back Out
             * @default true
             */
            back_out?: boolean;
            /**
             * Replan Jams
             * @default true
             */
            replan_jams?: boolean;
            /**
             * Corridor Turns
             * @default false
             */
            corridor_turns?: boolean;
            /**
             * Corridor Margin
             * @default 0
             */
            corridor_margin?: number;
            /**
             * Stall Time
             * @default 3
             */
            stall_time?: number;
            /**
             * Avoidance Model
             * @default orca
             * @enum {string}
             */
            avoidance_model?: "orca" | "rvo" | "vo";
            /**
             * Slow When Dense
             * @default false
             */
            slow_when_dense?: boolean;
            /** @default null */
            level_of_detail?: components["schemas"]["LevelOfDetailBody"] | null;
            /**
             * Planner
             * @default mesh
             * @enum {string}
             */
            planner?: "mesh" | "grid";
            /**
             * Unreachable Goals
             * @default stop
             * @enum {string}
             */
            unreachable_goals?: "stop" | "nearest";
            /**
             * Plan Delay Steps
             * @default 0
             */
            plan_delay_steps?: number;
            /**
             * Plan Expansions
             * @default 20000
             */
            plan_expansions?: number;
            /**
             * Flow Cell Size
             * @default null
             */
            flow_cell_size?: number | null;
            /**
             * Flow Cells
             * @default 262144
             */
            flow_cells?: number;
            /**
             * Flow Fields
             * @default 32
             */
            flow_fields?: number;
        };
        /**
         * PathQueryRow
         * @description From where to where, for a disc of which radius.
         */
        PathQueryRow: {
            /**
             * From
             * @description Where the centre is.
             */
            from: number[];
            /**
             * To
             * @description Where it wants to be.
             */
            to: number[];
            /**
             * Radius
             * @description Left out: what agents of this world have by default.
             * @default null
             */
            radius?: number | null;
            /**
             * Z Range
             * @description From the lower to the upper height at which who asks stands: nothing at other heights is in its way; null or left out: what stands at any height is.
             * @default null
             */
            z_range?: number[] | null;
        };
        /**
         * PathShown
         * @description A way, the truth that there is none, or the truth that the budget did not reach.
         */
        PathShown: {
            /**
             * Waypoints
             * @description From `from` to `to`, both included. In MessagePack a bin of float64.
             * @default null
             */
            waypoints?: number[][] | null;
            /**
             * Length
             * @default null
             */
            length?: number | null;
            /**
             * Unreachable
             * @description There is no way.
             * @default null
             */
            unreachable?: true | null;
            /**
             * Nearest
             * @description The point nearest to `to` that can be reached; of a `from` off the surface the point of the surface nearest to it. Null where such a disc has no place at all.
             * @default null
             */
            nearest?: number[] | null;
            /**
             * Reason
             * @default null
             */
            reason?: ("start-off-surface" | "goal-off-surface" | "disconnected") | null;
            /**
             * Unfinished
             * @description The budget plan_expansions ran out.
             * @default null
             */
            unfinished?: true | null;
        };
        /**
         * PathsAnswer
         * @description In the order of the request.
         */
        PathsAnswer: {
            /**
             * Step
             * @description Steps taken when the geometry was read.
             */
            step: number;
            /** Paths */
            paths: components["schemas"]["PathShown"][];
        };
        /**
         * PathsBody
         * @description Questions that are answered in order from one budget.
         */
        PathsBody: {
            /**
             * Queries
             * @description At most `paths_per_request`.
             */
            queries: components["schemas"]["PathQueryRow"][];
        };
        /**
         * Problem
         * @description A problem document (RFC 9457).
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
            errors: components["schemas"]["ProblemFault"][];
        } & {
            [key: string]: unknown;
        };
        /**
         * ProblemFault
         * @description One thing wrong.
         */
        ProblemFault: {
            /**
             * Item
             * @description Position in the request's list of agents, obstacles, areas or commands.
             */
            item: number | null;
            /**
             * Field
             * @description Field of the item; in a batch the path inside the command.
             */
            field: string | null;
            /** Message */
            message: string;
        };
        /**
         * RemoveAgentsCommand
         * @description As DELETE …/agents.
         */
        RemoveAgentsCommand: {
            /**
             * Op
             * @constant
             */
            op: "remove_agents";
            /**
             * Ids
             * @description A list of ids, in MessagePack also a bin of int64.
             */
            ids: unknown;
        };
        /**
         * RemoveObstacleCommand
         * @description As DELETE …/obstacles/{id}.
         */
        RemoveObstacleCommand: {
            /**
             * Op
             * @constant
             */
            op: "remove_obstacle";
            /**
             * Id
             * @description 0 to 2^53 - 1
             */
            id: number;
        };
        /**
         * RemoveWalkableCommand
         * @description As DELETE …/walkable/{id}.
         */
        RemoveWalkableCommand: {
            /**
             * Op
             * @constant
             */
            op: "remove_walkable";
            /**
             * Id
             * @description 0 to 2^53 - 1
             */
            id: number;
        };
        /**
         * RemovedAnswer
         * @description Agents are gone.
         */
        RemovedAnswer: {
            /**
             * Removed
             * @description In MessagePack a bin of int64.
             */
            removed: number[];
            /** Step */
            step: number;
            /**
             * Sequence
             * @description Place in the one order of all changes of the world.
             */
            sequence: number;
        };
        /**
         * SetAgentsCommand
         * @description As PATCH …/agents.
         */
        SetAgentsCommand: {
            /**
             * Agents
             * @description A map each.
             * @default null
             */
            agents?: components["schemas"]["AgentChange"][] | null;
            /**
             * Ids
             * @description With `columns`: the id of each row.
             * @default null
             */
            ids?: unknown;
            /**
             * Columns
             * @description A list per field, all of one length; in MessagePack also bins of float64, x0 y0 x1 …
             * @default null
             */
            columns?: {
                [key: string]: unknown;
            } | null;
            /**
             * Op
             * @constant
             */
            op: "set_agents";
        };
        /**
         * SetGridMapCommand
         * @description As POST …/map with `as=grid`, in rows.
         */
        SetGridMapCommand: {
            /**
             * Op
             * @constant
             */
            op: "set_grid_map";
            /** @description Null: the world has none any more. */
            grid_map: components["schemas"]["GridMapBody"] | null;
        };
        /**
         * SetLevelOfDetailCommand
         * @description As PATCH of a world with nothing but its `level_of_detail`.
         */
        SetLevelOfDetailCommand: {
            /**
             * Op
             * @constant
             */
            op: "set_level_of_detail";
            /** @description Null: detail matters everywhere. */
            level_of_detail: components["schemas"]["LevelOfDetailBody"] | null;
        };
        /**
         * SetObstacleCommand
         * @description As PUT …/obstacles/{id}.
         */
        SetObstacleCommand: {
            /**
             * Id
             * @description 0 to 2^53 - 1
             */
            id: number;
            /** Points */
            points: number[][];
            /**
             * Closed
             * @default false
             */
            closed?: boolean;
            /**
             * Z Range
             * @description From the lower to the upper height at which it stands; null or left out: at all heights.
             * @default null
             */
            z_range?: number[] | null;
            /**
             * Open
             * @description A door that stands open: it does not act until it is closed.
             * @default false
             */
            open?: boolean;
            /**
             * Op
             * @constant
             */
            op: "set_obstacle";
        };
        /**
         * SetWalkableCommand
         * @description As PUT …/walkable/{id}.
         */
        SetWalkableCommand: {
            /**
             * Id
             * @description 0 to 2^53 - 1
             */
            id: number;
            geometry: components["schemas"]["Geometry"];
            /**
             * Clearance
             * @description Beyond the radius.
             * @default 0
             */
            clearance?: number;
            /**
             * Horizon
             * @description Left out: the agent's obstacle_horizon.
             * @default null
             */
            horizon?: number | null;
            /**
             * Shrunk
             * @description Whether the geometry is shrunk by the radius already.
             * @default false
             */
            shrunk?: boolean;
            /**
             * Op
             * @constant
             */
            op: "set_walkable";
        };
        /**
         * StartedDemo
         * @description The world that a demo runs in, and what part of the plane to show.
         */
        StartedDemo: {
            world: components["schemas"]["WorldShown"];
            /**
             * View
             * @description min x, min y, max x, max y
             */
            view: number[];
            /** Attribution */
            attribution: string | null;
            /**
             * Gate
             * @description Ends of the line across which its flow is counted.
             */
            gate: number[][] | null;
            /**
             * Arrival
             * @description How near to its goal somebody has arrived, in metres.
             */
            arrival: number;
        };
        /**
         * SteerAnswer
         * @description Velocities in the order of the request.
         */
        SteerAnswer: {
            /**
             * Velocity
             * @description In MessagePack a bin of float64.
             */
            velocity: number[][];
            /** Warnings */
            warnings: components["schemas"]["Warning_"][];
        };
        /**
         * SteerBody
         * @description Agents and what is around them; nothing of it is kept.
         */
        SteerBody: {
            /**
             * Time Step
             * @description Seconds; at least 1e-6.
             */
            time_step: number;
            /**
             * Agents
             * @description As in POST …/agents, a map each.
             * @default null
             */
            agents?: components["schemas"]["NewAgent"][] | null;
            /**
             * Columns
             * @description As in POST …/agents, in the place of `agents`.
             * @default null
             */
            columns?: {
                [key: string]: unknown;
            } | null;
            /**
             * Obstacles
             * @description As in POST …/obstacles.
             */
            obstacles?: components["schemas"]["ObstacleRow"][];
            /**
             * Walkable
             * @description As `areas` in POST …/walkable.
             */
            walkable?: components["schemas"]["AreaRow"][];
            options?: components["schemas"]["OptionsBody"];
            /**
             * Seed
             * @description 0 to 2^53 - 1
             * @default 0
             */
            seed?: number;
        };
        /**
         * StepAnswer
         * @description Steps were taken.
         */
        StepAnswer: {
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
             * @description With `return: digest`.
             * @default null
             */
            digest?: string | null;
            /**
             * Agents
             * @description With `return: agents`: ids and columns.
             * @default null
             */
            agents?: {
                [key: string]: unknown;
            } | null;
            /** Events */
            events: components["schemas"]["EventShown"][];
            /**
             * Events Left Out
             * @description There were more events than `events_per_answer`.
             * @default null
             */
            events_left_out?: boolean | null;
            /**
             * Results
             * @description With `commands`: one each.
             * @default null
             */
            results?: {
                [key: string]: unknown;
            }[] | null;
        };
        /**
         * StepBody
         * @description Steps to take, with commands before the first if there are any.
         */
        StepBody: {
            /**
             * Commands
             * @description As in POST …/commands; they and the steps are one.
             * @default null
             */
            commands?: (components["schemas"]["AddAgentsCommand"] | components["schemas"]["SetAgentsCommand"] | components["schemas"]["RemoveAgentsCommand"] | components["schemas"]["AddObstaclesCommand"] | components["schemas"]["SetObstacleCommand"] | components["schemas"]["RemoveObstacleCommand"] | components["schemas"]["OpenDoorCommand"] | components["schemas"]["CloseDoorCommand"] | components["schemas"]["AddWalkableCommand"] | components["schemas"]["SetWalkableCommand"] | components["schemas"]["RemoveWalkableCommand"] | components["schemas"]["SetLevelOfDetailCommand"] | components["schemas"]["SetGridMapCommand"])[] | null;
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
        };
        /**
         * UnreachableShown
         * @description Why an agent has no way to its goal.
         */
        UnreachableShown: {
            /**
             * Reason
             * @enum {string}
             */
            reason: "start-off-surface" | "goal-off-surface" | "disconnected";
            /**
             * Nearest
             * @description Nearest to the goal of what it can reach; null where none is known.
             */
            nearest: number[] | null;
        };
        /**
         * Warning
         * @description Something accepted that is likely a mistake.
         */
        Warning_: {
            /** Code */
            code: string;
            /** Item */
            item: number | null;
            /** Field */
            field: string | null;
            /** Message */
            message: string;
        };
        /**
         * WorldChange
         * @description What may change in a world; what is left out stays.
         */
        WorldChange: {
            /**
             * Name
             * @default null
             */
            name?: string | null;
            /**
             * @default {
             *       "mode": "manual",
             *       "rate": null,
             *       "timeout": null
             *     }
             */
            clock?: components["schemas"]["ClockBody"];
            /** @description They replace all earlier ones. */
            defaults?: components["schemas"]["DefaultsBody"];
            /**
             * @description Null: detail matters everywhere.
             * @default null
             */
            level_of_detail?: components["schemas"]["LevelOfDetailBody"] | null;
        };
        /**
         * WorldShown
         * @description A world.
         */
        WorldShown: {
            /** Id */
            id: string;
            /** Name */
            name: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "ready" | "failed" | "ended";
            /**
             * Reason
             * @description Why it failed.
             */
            reason: string | null;
            /** Time Step */
            time_step: number;
            /**
             * Time
             * @description step × time_step
             */
            time: number;
            /**
             * Step
             * @description Steps taken so far.
             */
            step: number;
            /**
             * Sequence
             * @description Changes accepted so far.
             */
            sequence: number;
            clock: components["schemas"]["ClockShown"];
            /** Agents */
            agents: number;
            /** Obstacles */
            obstacles: number;
            /** Walkable */
            walkable: number;
            /**
             * Geometry
             * @description Grows with every change of obstacles and walkable areas.
             */
            geometry: number;
            /** Profile */
            profile: string;
            /** Options */
            options: {
                [key: string]: unknown;
            };
            /** @description How its agents are planned for together; null: not at all. */
            guidance: components["schemas"]["GuidanceBody"] | null;
            /**
             * Defaults
             * @description Those that differ from the library's.
             */
            defaults: {
                [key: string]: number | boolean | string;
            };
            /** Seed */
            seed: number;
            /** Durability */
            durability: string;
            /** Ttl */
            ttl: number | null;
        };
        /**
         * WorldsAnswer
         * @description All worlds, the oldest first.
         */
        WorldsAnswer: {
            /** Worlds */
            worlds: components["schemas"]["WorldShown"][];
        };
        /**
         * NewAgent
         * @description An agent; all but the position may be left out.
         */
        NewAgent: {
            /**
             * Preferred Speed
             * @description Toward the goal; null or left out: max_speed.
             */
            preferred_speed?: number | null;
            /**
             * Goal Tolerance
             * @description Distance at which the goal is reached; 1e-9.
             */
            goal_tolerance?: number;
            /**
             * Radius
             * @description 0.5
             */
            radius?: number;
            /**
             * Max Speed
             * @description 1.5
             */
            max_speed?: number;
            /**
             * Time Horizon
             * @description For other agents; 2.
             */
            time_horizon?: number;
            /**
             * Obstacle Horizon
             * @description For walls and boundaries; 2.
             */
            obstacle_horizon?: number;
            /**
             * Neighbor Distance
             * @description Left out: 2 radius + 2 max_speed max(time_horizon, time_step), fixed at insertion.
             */
            neighbor_distance?: number;
            /**
             * Max Neighbors
             * @description 10
             */
            max_neighbors?: number;
            /**
             * Weight
             * @description Its part of the avoidance is weight / (weight + the other's); 1.
             */
            weight?: number;
            /**
             * Priority
             * @description The higher does not yield to the lower, which takes the whole; 0.
             */
            priority?: number;
            /**
             * Locked
             * @description Moves on at its velocity; others take the whole; false.
             */
            locked?: boolean;
            /**
             * Avoidance
             * @description Whether it avoids agents and is avoided; true.
             */
            avoidance?: boolean;
            /**
             * Layer
             * @description By which it is seen; 1.
             */
            layer?: number;
            /**
             * Mask
             * @description Layers that it sees; 4294967295, which is all.
             */
            mask?: number;
            /**
             * Elevation
             * @description Height at which it begins; 0.
             */
            elevation?: number;
            /**
             * Height
             * @description From its elevation up; what is at other heights is not met; 0.
             */
            height?: number;
            /**
             * Group
             * @description Whom it belongs to; 0 is nobody.
             */
            group?: number;
            /**
             * Group Mode
             * @description Among members of its group; none.
             * @enum {string}
             */
            group_mode?: "none" | "ignore" | "together";
            /**
             * Quality
             * @description How many neighbours count: max_neighbors, at most four of them, or none; all.
             * @enum {string}
             */
            quality?: "all" | "few" | "none";
            /**
             * Max Acceleration
             * @description m/s² of its velocity; null or left out: no limit.
             */
            max_acceleration?: number | null;
            /**
             * Max Turning Rate
             * @description rad/s of its heading; null or left out: no limit.
             */
            max_turning_rate?: number | null;
            /**
             * Forward Preference
             * @description 0 to 1: how much slower it goes where it does not want to, aside and back; 0.
             */
            forward_preference?: number;
            /**
             * Heading
             * @description Where it faces while it stands; moving it faces where it goes. Null or left out: nowhere yet.
             */
            heading?: number[] | null;
            /**
             * Guidance
             * @description How it finds the way to its goal; straight.
             * @enum {string}
             */
            guidance?: "straight" | "path" | "flow" | "cooperative";
            /**
             * Id
             * @description 0 to 2^53 - 1, never used in this world before; left out: given by the server.
             */
            id?: number;
            /**
             * Position
             * @description [x, y]
             */
            position: number[];
            /**
             * Velocity
             * @description [0, 0]
             */
            velocity?: number[];
            /**
             * Preferred Velocity
             * @description [0, 0]; of goal and preferred velocity the goal holds.
             */
            preferred_velocity?: number[] | null;
            /** Goal */
            goal?: number[] | null;
        };
        /**
         * AgentChange
         * @description Fields of an agent; those left out stay as they are, null clears.
         */
        AgentChange: {
            /**
             * Preferred Speed
             * @description Toward the goal; null or left out: max_speed.
             */
            preferred_speed?: number | null;
            /**
             * Goal Tolerance
             * @description Distance at which the goal is reached; 1e-9.
             */
            goal_tolerance?: number;
            /**
             * Radius
             * @description 0.5
             */
            radius?: number;
            /**
             * Max Speed
             * @description 1.5
             */
            max_speed?: number;
            /**
             * Time Horizon
             * @description For other agents; 2.
             */
            time_horizon?: number;
            /**
             * Obstacle Horizon
             * @description For walls and boundaries; 2.
             */
            obstacle_horizon?: number;
            /**
             * Neighbor Distance
             * @description Left out: 2 radius + 2 max_speed max(time_horizon, time_step), fixed at insertion.
             */
            neighbor_distance?: number;
            /**
             * Max Neighbors
             * @description 10
             */
            max_neighbors?: number;
            /**
             * Weight
             * @description Its part of the avoidance is weight / (weight + the other's); 1.
             */
            weight?: number;
            /**
             * Priority
             * @description The higher does not yield to the lower, which takes the whole; 0.
             */
            priority?: number;
            /**
             * Locked
             * @description Moves on at its velocity; others take the whole; false.
             */
            locked?: boolean;
            /**
             * Avoidance
             * @description Whether it avoids agents and is avoided; true.
             */
            avoidance?: boolean;
            /**
             * Layer
             * @description By which it is seen; 1.
             */
            layer?: number;
            /**
             * Mask
             * @description Layers that it sees; 4294967295, which is all.
             */
            mask?: number;
            /**
             * Elevation
             * @description Height at which it begins; 0.
             */
            elevation?: number;
            /**
             * Height
             * @description From its elevation up; what is at other heights is not met; 0.
             */
            height?: number;
            /**
             * Group
             * @description Whom it belongs to; 0 is nobody.
             */
            group?: number;
            /**
             * Group Mode
             * @description Among members of its group; none.
             * @enum {string}
             */
            group_mode?: "none" | "ignore" | "together";
            /**
             * Quality
             * @description How many neighbours count: max_neighbors, at most four of them, or none; all.
             * @enum {string}
             */
            quality?: "all" | "few" | "none";
            /**
             * Max Acceleration
             * @description m/s² of its velocity; null or left out: no limit.
             */
            max_acceleration?: number | null;
            /**
             * Max Turning Rate
             * @description rad/s of its heading; null or left out: no limit.
             */
            max_turning_rate?: number | null;
            /**
             * Forward Preference
             * @description 0 to 1: how much slower it goes where it does not want to, aside and back; 0.
             */
            forward_preference?: number;
            /**
             * Heading
             * @description Where it faces while it stands; moving it faces where it goes. Null or left out: nowhere yet.
             */
            heading?: number[] | null;
            /**
             * Guidance
             * @description How it finds the way to its goal; straight.
             * @enum {string}
             */
            guidance?: "straight" | "path" | "flow" | "cooperative";
            /**
             * Id
             * @description 0 to 2^53 - 1
             */
            id?: number;
            /**
             * Position
             * @description [x, y]
             */
            position?: number[];
            /**
             * Velocity
             * @description [x, y]
             */
            velocity?: number[];
            /**
             * Preferred Velocity
             * @description Takes the goal's place; null clears, which leaves zero.
             */
            preferred_velocity?: number[] | null;
            /**
             * Goal
             * @description Takes the preferred velocity's place; null clears, which leaves zero.
             */
            goal?: number[] | null;
            /**
             * Status
             * @description Read-only: may be sent back as it was read, and is ignored with a warning.
             */
            status?: string;
            /**
             * Waiting
             * @description Read-only: may be sent back, and is ignored.
             */
            waiting?: unknown;
            /**
             * Blocked By
             * @description Read-only: may be sent back, and is ignored.
             */
            blocked_by?: unknown;
            /**
             * Yields To
             * @description Read-only: may be sent back, and is ignored.
             */
            yields_to?: unknown;
            /**
             * Cooperation
             * @description Read-only: may be sent back, and is ignored.
             */
            cooperation?: string;
            /**
             * Waits For
             * @description Read-only: may be sent back, and is ignored.
             */
            waits_for?: unknown;
            /**
             * Waypoint
             * @description Read-only: may be sent back, and is ignored.
             */
            waypoint?: unknown;
            /**
             * Corridor
             * @description Read-only: may be sent back, and is ignored.
             */
            corridor?: unknown;
            /**
             * Path
             * @description Read-only: may be sent back, and is ignored.
             */
            path?: unknown;
            /**
             * Unreachable
             * @description Read-only: may be sent back, and is ignored.
             */
            unreachable?: unknown;
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
