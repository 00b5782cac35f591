/** The object store can't be used as it is. `message` says what is wrong, `advice` what to do next; both are for the operator. */
export class StorageRefused extends Error {
  readonly advice: string

  constructor(message: string, advice: string, cause?: unknown) {
    super(message, { cause })
    this.name = "StorageRefused"
    this.advice = advice
  }
}
