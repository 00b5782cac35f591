import { stat } from "node:fs/promises"
import type { Config } from "../../core/config.ts"
import type { Database } from "../../core/database/database.ts"
import { KeyRefused, keyFile, openSecrets } from "../../core/secrets.ts"
import { faultOf, unreadable } from "../../features/code/signatures/keys.ts"
import { findSiteKeys } from "../../features/code/signatures/keys-store.ts"
import { type Finding, failure, ok } from "./finding.ts"

/** The key that the site signs commits with: there, and readable with the site's key. */
export async function checkSigningKey({ signing, security, dataDir }: Config, database: Database): Promise<Finding> {
  if (signing.key === "none") return ok("signing key: the site signs no commits (signing.key)")
  const current = (await findSiteKeys(database.read)).find((row) => row.kind === signing.key && row.is_current === 1)
  if (!current) return ok("signing key: not there yet, the next start makes it")
  const isThere = security.secretKey !== "" || (await stat(keyFile(dataDir)).catch(() => undefined)) !== undefined
  const advice = "Until then commits are not signed, and the server doesn't start."
  if (!isThere) return failure(unreadable(current.key_id), advice)
  try {
    const fault = await faultOf({ secrets: await openSecrets({ keyText: security.secretKey, dataDir }) }, current)
    return fault === undefined ? ok(`signing key: ${current.kind} ${current.key_id}`) : failure(fault, advice)
  } catch (error) {
    if (error instanceof KeyRefused) return failure(error.message, advice)
    throw error
  }
}
