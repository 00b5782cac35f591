import { LRUCache } from "lru-cache"
import { onFirstUseOf } from "../../../../core/memoize.ts"
import type { Services } from "../../../../core/services.ts"
import { isFormerSecret, useFormer } from "./former-hashes.ts"
import { findFormerTokens, renewDigest } from "./former-store.ts"
import { tokenDigest } from "./tokens.ts"

/** Texts that were tried in vain are remembered, so that a client that goes on trying costs nothing. */
const REMEMBERED = 1_000

const triedOf = onFirstUseOf((_services: Services) => new LRUCache<string, true>({ max: REMEMBERED, ttl: 60_000 }))

/** Gives a token of the former server its row's digest, by which it is found then; does nothing where the text is none of them. */
export async function adoptToken(services: Services, token: string): Promise<void> {
  const { database } = services
  const candidates = await findFormerTokens(database.read, { lookup: token.slice(-8) })
  if (candidates.length === 0) return
  const [tried, digest] = [triedOf(services), tokenDigest(token)]
  if (tried.has(digest)) return
  for (const candidate of candidates) {
    if (!(await isFormerSecret(token, candidate))) continue
    await database.write(async (tx) => {
      if (await useFormer(tx, "access token", candidate.subject_id)) await renewDigest(tx, { id: candidate.subject_id, digest })
    })
    return
  }
  tried.set(digest, true)
}
