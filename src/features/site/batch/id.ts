/** The operation that runs batches. */
export const BATCH_ID = "runBatch"
