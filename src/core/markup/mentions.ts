import type { Token } from "markdown-it"
import { type Mention, MOST_MENTIONS, type Rendering, type RepositoryName, type Target } from "./rendering.ts"

/** Names of people, issues and commits in texts. They are found here, and looked up by the caller of the renderer. */

/** A piece of a text: a mention, an emoji by its name, or neither. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "emoji"; readonly text: string; readonly name: string }
  | { readonly kind: "mention"; readonly text: string; readonly mention: Mention; readonly shown: Shown }

/** How a mention that leads somewhere is shown. */
export interface Shown {
  readonly text: string
  readonly code?: true
  /** Added to the address that it leads to. */
  readonly fragment?: string
}

const REPOSITORY = "(?<owner>[A-Za-z0-9][\\w.-]{0,99})/(?<name>[\\w.-]{1,100})"

// Each alternative is bounded, and begins only where no longer word contains it, so that matching is linear.
const CANDIDATE = new RegExp(
  [
    ":(?<emoji>[a-z0-9_+-]{1,40}):",
    "(?<![\\w.\\-/@`])@(?<account>[A-Za-z0-9](?:[\\w.-]{0,98}\\w)?)(?![\\w/])",
    `(?<![\\w.\\-/#!&@])(?:${REPOSITORY})?(?<mark>[#!])(?<number>[1-9]\\d{0,14})(?![\\w#/])`,
    `(?<![\\w.\\-/#@])(?:${REPOSITORY.replace("<owner>", "<of>").replace("<name>", "<in>")}@)?(?<commit>[0-9a-f]{7,64})(?![\\w@/])`,
  ].join("|"),
  "g",
)

/** Cuts a text at its first mentions and emoji, up to a limit. */
export function piecesOf(text: string, limit: number, { style, home }: Rendering): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  let left = limit
  for (const match of text.matchAll(CANDIDATE)) {
    if (left-- <= 0) break
    const piece = pieceOf(match[0], match.groups ?? {}, style, home)
    if (!piece) continue
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) })
    pieces.push(piece)
    from = match.index + match[0].length
  }
  if (pieces.length === 0) return [{ kind: "text", text }]
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) })
  return pieces
}

type Groups = Readonly<Record<string, string | undefined>>

function pieceOf(text: string, groups: Groups, style: Rendering["style"], home: RepositoryName | undefined): Piece | undefined {
  const { emoji, account, owner, name, number, commit } = groups
  if (emoji !== undefined) return { kind: "emoji", text, name: emoji }
  if (account !== undefined) return { kind: "mention", text, mention: { kind: "account", name: account }, shown: { text } }
  if (number !== undefined) {
    const repository = owner !== undefined && name !== undefined ? { owner, name } : style === "document" ? undefined : home
    return repository && { kind: "mention", text, mention: { kind: "issue", repository, number: Number(number) }, shown: { text } }
  }
  if (commit === undefined) return undefined
  const { of, in: inside } = groups
  const repository = of !== undefined && inside !== undefined ? { owner: of, name: inside } : home
  return repository && mentionedCommit(text, repository, commit, home)
}

/** The letters of a commit's id that are shown. */
const SHORT_ID = 10

const mentionedCommit = (text: string, repository: RepositoryName, id: string, home: RepositoryName | undefined): Piece => ({
  kind: "mention",
  text,
  mention: { kind: "commit", repository, id },
  shown: { text: `${isSame(repository, home) ? "" : `${repository.owner}/${repository.name}@`}${id.slice(0, SHORT_ID)}`, code: true },
})

const isSame = (one: RepositoryName, other: RepositoryName | undefined): boolean =>
  one.owner.toLowerCase() === other?.owner.toLowerCase() && one.name.toLowerCase() === other.name.toLowerCase()

const OWN = new RegExp(
  `^/${REPOSITORY}/(?:(?:issues|pulls)/(?<number>[1-9]\\d{0,14})(?<fragment>#[\\w-]{1,60})?|commit/(?<commit>[0-9a-f]{7,64}))$`,
)

/** What an address of this server names, or undefined. */
export function mentionAt(address: string, { rootUrl, home }: Rendering): Piece | undefined {
  if (!address.startsWith(`${rootUrl}/`)) return undefined
  const { owner, name, number, fragment, commit } = OWN.exec(address.slice(rootUrl.length))?.groups ?? {}
  if (owner === undefined || name === undefined) return undefined
  const repository = { owner, name }
  if (commit !== undefined) return mentionedCommit(address, repository, commit, home)
  const short = `${isSame(repository, home) ? "" : `${owner}/${name}`}#${number}${fragment === undefined ? "" : " (comment)"}`
  const shown = { text: short, ...(fragment !== undefined && { fragment }) }
  return { kind: "mention", text: address, mention: { kind: "issue", repository, number: Number(number) }, shown }
}

/** A mention in the tokens, which gets its target once all are known. */
export interface Mentioned {
  readonly token: Token
  readonly mention: Mention
  readonly shown: Shown
}

const keyOf = (mention: Mention): string =>
  mention.kind === "account"
    ? `@${mention.name}`.toLowerCase()
    : `${mention.repository.owner}/${mention.repository.name}${mention.kind === "issue" ? `#${mention.number}` : `@${mention.id}`}`.toLowerCase()

/** The targets of mentions, each looked up once. */
export async function targetsOf(mentioned: readonly Mentioned[], { resolve }: Rendering): Promise<ReadonlyMap<Token, Target>> {
  const distinct = new Map<string, Mention>()
  for (const { mention } of mentioned) {
    if (distinct.size >= MOST_MENTIONS) break
    distinct.set(keyOf(mention), mention)
  }
  if (!resolve || distinct.size === 0) return new Map()
  const found = await resolve([...distinct.values()])
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, found[index]]))
  return new Map(
    mentioned.flatMap(({ token, mention }) => {
      const target = byKey.get(keyOf(mention))
      return target ? [[token, target] as const] : []
    }),
  )
}
