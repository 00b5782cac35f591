/** Checks that can't pass yet, by their titles, with the reason. */
export const PENDING: Readonly<Record<string, string>> = {}
