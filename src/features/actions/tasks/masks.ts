import { LRUCache } from "lru-cache"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { issuerOf } from "../oidc/tokens.ts"
import { confidentialTexts, type TaskOfJob } from "./content.ts"

/** What must not be read in the logs and summaries of jobs. Runners mask it as well; old ones not all of it. */

/** Shorter texts would mask parts of ordinary words. */
const SHORTEST_MASKED = 4
const MASK = "***"

/** Replaces what is confidential in a text. */
export type Masking = (text: string) => string

/** The masking of what tasks send. Kept for a while, because reading their secrets costs several queries and a decryption. */
export interface Masks {
  readonly of: (task: TaskOfJob) => Promise<Masking>
}

export function openMasks(services: Services): Masks {
  const known = new LRUCache<number, Promise<Masking>>({ max: 1_000, ttl: 600_000 })
  return {
    of(task) {
      const found = known.get(task.id)
      if (found) return found
      const made = maskingOf(services, task)
      known.set(task.id, made)
      made.catch(() => known.delete(task.id))
      return made
    },
  }
}

/** The masking of what one task sends. */
export async function maskingOf(services: Services, task: TaskOfJob): Promise<Masking> {
  const texts = [...new Set(await confidentialTexts(services, task))]
    .filter((text) => text.trim().length >= SHORTEST_MASKED)
    .sort((one, other) => other.length - one.length)
  const ofJobs = withoutTokens(services.site)
  return (content) => ofJobs(texts.reduce((text, each) => text.replaceAll(each, MASK), content))
}

/**
 * Masks the tokens that jobs are given as JWTs, for whichever job: runtime tokens, those to ask for identity tokens with, and identity tokens. They are told by
 * their claims, since the last are made anew for each request. Takes linear time.
 */
export function withoutTokens(site: Site): Masking {
  // As they are written when they are issued; reading them as JSON would cost much more for texts that only look like them.
  const marks = ['"TaskID":', `"iss":${JSON.stringify(issuerOf(site))}`]
  const isOurs = (payload: string): boolean => {
    if (!payload.startsWith("eyJ")) return false
    const claims = Buffer.from(payload, "base64url").toString("utf8")
    return marks.some((mark) => claims.includes(mark))
  }
  const maskIn = (dotted: string): string => {
    const parts = dotted.split(".")
    const kept: string[] = []
    for (let at = 0; at < parts.length; at++) {
      const [header = "", payload = "", signature] = parts.slice(at, at + 3)
      const start = header.indexOf("eyJ")
      if (start < 0 || signature === undefined || !isOurs(payload)) kept.push(header)
      else {
        kept.push(header.slice(0, start) + MASK)
        at += 2
      }
    }
    return kept.join(".")
  }
  return (text) => (text.includes("eyJ") ? text.replaceAll(/[\w.-]+/g, maskIn) : text)
}
