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

/** A write of the API that may be sent again, by the key that its client gave it. */
interface KeptAnswersTable {
  /** Of who sends it, and the key. */
  digest: string
  user_id: number
  /** The digest of what was sent, and where to. */
  request: string
  /** That of the answer; 0 while there is none. */
  status: Generated<number>
  /** Sealed, since it may have a secret; "" where it was too long. */
  answer: Generated<string>
  /** The length of the sealed answer. */
  bytes: Generated<number>
  created_at: Seconds
}

export interface FormTables {
  sent_forms: SentFormsTable
  kept_answers: KeptAnswersTable
}
