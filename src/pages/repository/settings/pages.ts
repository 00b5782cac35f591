import type { Page } from "../../../core/page.ts"
import { transferPages } from "../transfer.ts"
import { branchRulePages } from "./branches.ts"
import { collaboratorPages } from "./collaboration.ts"
import { generalPages } from "./general.ts"
import { keyPages } from "./keys.ts"
import { mirrorPages } from "./mirrors.ts"
import { tagRulePages } from "./tags.ts"

export const settingsPages: readonly Page[] = [
  ...generalPages,
  ...transferPages,
  ...collaboratorPages,
  ...branchRulePages,
  ...tagRulePages,
  ...keyPages,
  ...mirrorPages,
]
