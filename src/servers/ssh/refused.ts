/** SSH can't be served at the configured port or address. The system's error is the cause. */
export class SshRefused extends Error {
  constructor(cause: unknown) {
    super("Git over SSH can't listen.", { cause })
    this.name = "SshRefused"
  }

  /** Whether another process listens there already. */
  get isTaken(): boolean {
    return this.cause instanceof Error && "code" in this.cause && this.cause.code === "EADDRINUSE"
  }
}
