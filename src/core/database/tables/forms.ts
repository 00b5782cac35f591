import type { Generated } from "kysely"
import type { Seconds } from "./types.ts"

/** A form that someone sent just now. */
interface SentFormsTable {
  /** Of who sent what to where. */
  digest: string
  /** The path that the answer led to; "" until there is an answer. */
  led_to: Generated<string>
  flash: Generated<string>
  created_at: Seconds
}

export interface FormTables {
  sent_forms: SentFormsTable
}
