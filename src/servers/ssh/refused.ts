/** SSH can't be served at the port or address that was asked for. What the system says of it is the cause. */
export class SshRefused extends Error {
  constructor(cause: unknown) {
    super("Git over SSH can't listen.", { cause })
    this.name = "SshRefused"
  }

  /** Whether somebody else listens there already. */
  get isTaken(): boolean {
    return this.cause instanceof Error && "code" in this.cause && this.cause.code === "EADDRINUSE"
  }
}
