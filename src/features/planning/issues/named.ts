import { refuse } from "../../../core/errors.ts"

/** What a name of an issue comes to, as the API's bodies have it. */
interface Named {
  readonly owner: string
  readonly repo: string
  readonly index: number
}

/** An issue as people name it: `#3`, `owner/name#3` or its address. One without a repository is of `home`. Refuses as `invalid` what names none. */
export function issueNamed(field: string, text: string, home: Pick<Named, "owner" | "repo">): Named {
  const [, owner, repo, number] =
    /^(?:(?:https?:\/\/[^/\s]+\/)?([\w.-]+)\/([\w.-]+)(?:[#!]|\/(?:issues|pulls)\/)|[#!])?(\d{1,9})$/.exec(text.trim()) ?? []
  if (number === undefined) throw refuse.invalid(field, "must be like #3 or owner/name#3")
  return { owner: owner ?? home.owner, repo: repo ?? home.repo, index: Number(number) }
}
