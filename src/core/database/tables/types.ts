/** A yes-or-no column: 0 or 1 on both databases, so that one SQL text serves both. */
export type Flag = 0 | 1

/** A moment: whole seconds since 1970-01-01 UTC; 0 means "never". */
export type Seconds = number

/** Turns a boolean into what a flag column stores. */
export const flag = (value: boolean): Flag => (value ? 1 : 0)
