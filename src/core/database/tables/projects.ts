/** Filled by the feature. */
export type ProjectTables = object
