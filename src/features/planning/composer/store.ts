import type { ReadableKinds } from "../../../access/policies/issues.ts"
import type { Handle } from "../../../core/database/database.ts"
import { contains } from "../../../core/database/expressions.ts"

interface Beginning {
  readonly repositoryId: number
  readonly kinds: ReadableKinds
  /** The first digits of a number, or words of a title. */
  readonly q: string
  readonly limit: number
}

/** Numbers of up to nine digits that begin with these. */
const numbersFrom = (digits: string): readonly (readonly [first: number, last: number])[] =>
  [...Array(10 - digits.length).keys()].map((more) => [Number(digits) * 10 ** more, (Number(digits) + 1) * 10 ** more - 1] as const)

/** Issues and pull requests of a repository by the beginning of their number or by words of their title, those of which something was heard last first. */
export async function findIssuesBeginning(
  db: Handle,
  { repositoryId, kinds, q, limit }: Beginning,
): Promise<readonly { readonly number: number; readonly title: string }[]> {
  const readable = [...(kinds.issues ? [0 as const] : []), ...(kinds.pulls ? [1 as const] : [])]
  if (readable.length === 0) return []
  const ranges = /^[1-9]\d{0,8}$/.test(q) ? numbersFrom(q) : []
  return db
    .selectFrom("issues")
    .select(["number", "title"])
    .where("repository_id", "=", repositoryId)
    .where("is_pull", "in", readable)
    .where((eb) =>
      q === ""
        ? eb.lit(true)
        : eb.or([
            contains(eb.ref("title"), q),
            ...ranges.map(([first, last]) => eb.and([eb("number", ">=", first), eb("number", "<=", last)])),
          ]),
    )
    .orderBy("updated_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute()
}
