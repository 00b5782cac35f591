import type { Repository } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import type { Import } from "../../code/mirrors/store.ts"
import type { Origin } from "./origins/origin.ts"

/** What is being imported, and into what. */
export interface Bringing {
  readonly services: Services
  readonly repository: Repository
  readonly imported: Import
  readonly origin: Origin
}
