/** Filled by the feature. */
export type WebhookTables = object
