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
export const SHORT_ID = 10

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

const LINES = new RegExp(
  `^/${REPOSITORY}/src/commit/(?<commit>[0-9a-f]{40}|[0-9a-f]{64})/(?<path>[^?#]{1,1000})(?:\\?display=source)?#L(?<from>[1-9]\\d{0,6})(?:-L?(?<to>[1-9]\\d{0,6}))?$`,
)

/** Lines of a file, by their permanent address. Programs get the address. */
function linesAt(address: string, { rootUrl, home, isForPage }: Rendering): Piece | undefined {
  const { owner, name, commit, path, from, to } = (isForPage && LINES.exec(address.slice(rootUrl.length))?.groups) || {}
  if (owner === undefined || name === undefined || commit === undefined || path === undefined) return undefined
  const [one, other] = [Number(from), Number(to ?? from)]
  const repository = { owner, name }
  const [first, last] = [Math.min(one, other), Math.max(one, other)]
  const where = `${decodedPath(path)}#L${first}${last > first ? `-L${last}` : ""}`
  return {
    kind: "mention",
    text: address,
    mention: { kind: "lines", repository, commit, path: decodedPath(path), from: first, to: last },
    shown: { text: isSame(repository, home) ? where : `${owner}/${name}/${where}` },
  }
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What an address of this server names, or undefined. */
export function mentionAt(address: string, rendering: Rendering): Piece | undefined {
  const { rootUrl, home } = rendering
  if (!address.startsWith(`${rootUrl}/`)) return undefined
  const lines = linesAt(address, rendering)
  if (lines) return lines
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

function keyOf(mention: Mention): string {
  if (mention.kind === "account") return `@${mention.name}`.toLowerCase()
  const repository = `${mention.repository.owner}/${mention.repository.name}`.toLowerCase()
  if (mention.kind === "issue") return `${repository}#${mention.number}`
  if (mention.kind === "commit") return `${repository}@${mention.id.toLowerCase()}`
  return `${repository}@${mention.commit}/${mention.path}#${mention.from}-${mention.to}`
}

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
