import type { Tables } from "../../../../core/database/tables/index.ts"

/** One of our tables. */
export type Table = keyof Tables
