/* What summary.json holds (docs/formats.md, "Summaries"), for those who check types. */
type Estimate = number[]; // n, mean, low, high, median, median_low, median_high, least, most

interface Condition {
    search: string; scope: string; embedding: string; group: string; label: string; line: string;
    k: number; k_used: number; k_before: number; n: number; semantics: string; differences: string[];
    connect: string; action: string; horizon: number; graphs: number; short: string;
    settings: Record<string, string>;
}

interface Cell {
    condition: number; size: number; first: number; runs: number; place: string; exact?: string; own?: boolean;
    optimal?: [number, number, number]; failures?: number[];
    [measure: string]: any;
}

interface World {
    seed: string; size: number; graph: number; horizon: number; connect: string; redraws: number;
    policies: number; local: number; shortest: number | null; document?: string; place?: number[];
}

interface Model {
    name: string; file: string; steps: number; horizon?: number; policies?: number; document?: string;
    factors?: { name: string | null; states: number; actions: number; state_names: string[] | null;
        action_names: string[] | null }[];
    modalities?: { name: string | null; outcomes: number; outcome_names: string[] | null }[];
}

interface Source { optimal: number; graphs: number; percent: [number, number, number]; best: boolean }

interface TableCell {
    scope: string; embedding: string; k: number; n: number; size: number;
    paper: Source | null; notebook: Source | null; text: Source | null; outside: boolean | null;
    [source: string]: any;
}

interface Difference {
    difference: string; scope: string; embedding: string; k: number; n: number; size: number;
    before: number; after: number; change: number; p: number | null; low: number; high: number;
    clear: boolean;
}

interface Space {
    policies: number; rows: number; share: number[]; x: number[]; y: number[]; efe: number[];
    cluster: number[]; centers: number[][]; best_place?: number[];
    scope?: string; embedding?: string; k12?: Contrast; k100?: Contrast;
}
interface Contrast { representative: (number | null)[]; mean: (number | null)[]; r: number | null }

type GridCell = string | { words: string; small?: string; span?: number; bold?: boolean;
    mark?: boolean; left?: boolean; rule?: boolean; apart?: boolean };
interface Grid { name: string; heads: number; rows: GridCell[][] }

interface Summary {
    format: string; version: number; sonde: string;
    study: { seed: string; plan: string; file: string; made_by: string; steps: number;
        judged: number; tasks: number; tasks_done: number; runs: number; builtin: boolean;
        models: string[]; text: string };
    failures: string[]; estimate: string[]; conditions: Condition[]; cells: Cell[];
    worlds: World[]; runs: Record<string, any[]>; steps?: Record<string, any[]>; models?: Model[];
    table1: { compared: number; inside: number; chance: number; apart: (number | null)[];
        cells: TableCell[] };
    speed: any[]; differences: Difference[];
    chosen: { world: number; full: number | null; clustered: number | null; spaces: Space[] }[];
    failed: any; tables: Grid[];
}

/* What conditions are compared by. */
interface Measure { key: string; title: string; y: string; of: "mean" | "median"; better: number;
    log?: boolean; about: string }

/* One mark of a figure. */
interface Mark { x: any; y: number; low?: number | null; high?: number | null; base?: number;
    reference?: number | null; tip?: string; cell?: Cell; key?: string; faint?: boolean }
interface Series { label: string; colour: number; shape: "bar" | "stack" | "line" | "dot" | "guide";
    hollow?: boolean; band?: boolean; plain?: boolean; thin?: boolean; size?: number; marks: Mark[] }
interface Axis { title: string; log?: boolean; whole?: boolean; categories?: string[]; low?: number; high?: number }
interface Panel { title: string; x: Axis; y: Axis; series: Series[]; ends?: boolean }
interface Figure { name: string; title: string; caption: string; panels: Panel[]; height?: number;
    python: string; free?: boolean }

/* A run of an agent that learns, as sonde simulate --learn writes it, with the tables of a report. */
interface Learned { array: string; kl: (number | null)[]; rows?: string[]; columns?: string[]; counts?: number[][]; first?: number[]; entries?: number[] }
interface LearnRun {
    verb: string; sonde: string; command: string; settings: Record<string, any>; names: { model: string | null }; tables: Grid[];
    learned: Record<string, ({ updates: number; added: number; masked: number; kl: number } | null)[]>;
    history: { by: string; arrays: Learned[]; actions?: string[];
        episodes?: { action: number[]; preference: (number | null)[]; surprise: (number | null)[] }[] };
}

/* Fits, recoveries, power and comparisons, as sonde fit, recover and compare write them, with the tables of a report. */
interface FitSubject {
    subject: string; n: number; value: Record<string, number>; map: Record<string, number>; sd: Record<string, number>; interval_90?: Record<string, number[]>;
    covariance: number[][]; log_likelihood: number; evidence: number; mean_p: number; AIC: number; BIC: number; held_out?: number; converged?: boolean;
    weak?: { curvature: number; weights: Record<string, number> }[];
}
interface Fit {
    format: string; sonde: string; name?: string; command?: string; optimiser?: string; n: number; log_likelihood: number; evidence: number; AIC: number; BIC: number;
    held_out?: number; subjects: FitSubject[]; parameters: { name: string; transform: string; prior: number[] }[]; tables: Grid[];
    group: null | { parameters: string[]; columns: string[]; mu: number[][]; sd: number[][]; beta: number[][]; low: number[][]; high: number[][]; evidence: number;
        rounds: number; converged: boolean; effects: Record<string, number> };
}
interface Replay {
    sonde: string; command?: string; timing: string; n: number; log_likelihood: number; mean_p: number; hits: number; tables: Grid[];
    names?: { model: string; factors: { name: string; states?: string[]; actions?: string[] }[] };
    subjects: { subject: string; mean_p: number | null; hits: number | null; steps: { p: number | null; surprise: number | null; belief?: number[][]; action?: number[] }[] }[];
}
interface RecoveredModel {
    model: string; converged: number; weak: number; parameters: { name: string; r: number | null; coverage: number }[];
    posterior_correlation: (number | null)[][]; estimate_correlation: (number | null)[][];
    subjects: { subject: string; true: number[]; map: number[]; covariance: number[][] }[];
}
interface Recovery { sonde: string; command?: string; subjects: number; models: RecoveredModel[]; confusion: Record<string, (number | null)[][]> | null; tables: Grid[] }
interface Power {
    sonde: string; command?: string; parameter: string; difference: number; repeats: number; tables: Grid[];
    sizes: { subjects: number; found: number; found_interval: number[]; found_without: number; found_without_interval: number[] }[];
}
interface Comparison {
    sonde: string; command?: string; bor: number | null; tables: Grid[]; models: { model: string; r: number; xp: number; pxp: number }[];
    subjects: { subject: string; g: number[] }[];
}

declare module "d3-scale";
declare module "d3-shape";
declare module "d3-quadtree";
declare module "d3-format";

/* A graph world, as sonde graph --json has it. */
interface Graph { nodes: number; edges: number[][]; start: number[]; destination: number; horizon: number; lambda: number;
    idle: number; names?: string[] }

/* What the engine answers (engine.js). */
interface Ran { status: number; out: string; err: string; files?: Record<string, string> }
interface PolicyMap { xy: Float64Array; weight: Int32Array; first: Int32Array; rowOf: Int32Array; efe: Float64Array;
    action: Int32Array; cluster: Int32Array; representative: Int32Array; share: Float64Array;
    actions: Record<number, string> }
declare class CompressionStream extends TransformStream { constructor(format: string) }
declare class DecompressionStream extends TransformStream { constructor(format: string) }
declare module "engine";
