/** Filled by the feature. */
export type KeyTables = object
