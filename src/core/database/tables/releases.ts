/** Filled by the feature. */
export type ReleaseTables = object
