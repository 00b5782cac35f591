/** Filled by the feature. */
export type ActionTables = object
