import type { Page } from "../../../core/page.ts"
import { branchRulePages } from "./branch-rule-pages.ts"
import { collaboratorPages } from "./collaborator-pages.ts"
import { generalPages } from "./general-pages.ts"
import { keyPages } from "./key-pages.ts"
import { mirrorPages } from "./mirror-pages.ts"
import { tagRulePages } from "./tag-rule-pages.ts"
import { transferPages } from "./transfer-pages.ts"

export const settingsPages: readonly Page[] = [
  ...generalPages,
  ...transferPages,
  ...collaboratorPages,
  ...branchRulePages,
  ...tagRulePages,
  ...keyPages,
  ...mirrorPages,
]
