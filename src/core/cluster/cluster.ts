/** The other processes of a server, as one of its workers sees them; see docs/processes.md. A server of one process has none. */
export interface Cluster {
  /** The name of this process, which no other has, not even a later one. */
  readonly self: string
  /** Whether it is the first process of the server: what others held before is free. */
  readonly isFirst: boolean
  /** When the server began, in milliseconds since 1970. */
  readonly since: number
  /** The turn to write the embedded database. */
  readonly turns: Turns
  /** Tells the other processes. What one tells arrives in the order in which it was told. */
  readonly tell: (channel: string, payload: string) => void
  readonly onTold: (listener: (channel: string, payload: string) => void) => void
  /** Adds what releases the things that a dead process held. All processes do that, each as far as it is not done yet. */
  readonly onDeath: (release: (name: string) => Promise<void> | void) => void
  /** Sets what is called with the number of processes that share the limits of the machine, now and whenever it changes. */
  readonly onSharers: (listener: (count: number) => void) => void
  /** The metrics of all processes; without those that do not answer in time. */
  readonly metrics: () => Promise<readonly unknown[]>
  /** Sets what this process answers then. */
  readonly onMetrics: (read: () => Promise<unknown>) => void
  /** Sets what is done when this process is to end: at once, or, where others go on, when its clients have gone over to them. */
  readonly onStop: (stop: (how: "stop" | "drain") => void) => void
  /** Says that this process serves. */
  readonly ready: () => void
  /** Lets this process end when it has nothing else to do. Until then the channel keeps it. */
  readonly leave: () => void
}

/** The turn to write the embedded database, which one worker of a server has at a time. */
export interface Turns {
  /** Waits for the turn; the result gives it back. Rejects with {@link NoTurn} where it does not come in time. */
  readonly take: (waitMs: number) => Promise<() => Promise<void>>
}

/** Another process has kept the turn for too long. */
export class NoTurn extends Error {
  constructor() {
    super("another process of this server keeps the database from being written")
    this.name = "NoTurn"
  }
}
