import { Mode } from "../../../access/modes.ts"
import { type Permission, permissionsOn, reaches, unitMode } from "../../../access/permission.ts"
import { readsKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Mention, RepositoryName, Resolve, Target } from "../../../core/markup/rendering.ts"
import type { Services } from "../../../core/services.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { isGitError } from "../../../git/index.ts"
import { withOwners } from "../../code/repositories/store.ts"
import { isRendered, readLines } from "./lines.ts"
import { findIssuesNumbered, findListedNames, findRepositoriesNamed } from "./store.ts"

/** What a text names, looked up with the permissions of its reader. */

type Of<Kind extends Mention["kind"]> = Extract<Mention, { readonly kind: Kind }>

/** The most links to lines of code that are looked up for one text, or for the texts of one page. */
const MOST_CARDS = 20
/** The most commits that are looked up in git for one text. */
const MOST_COMMITS = 50

/**
 * Looks up the mentions of a text for this reader: at most eight queries, however many there are. What the reader may not see leads nowhere, like what is
 * missing.
 */
export const resolverFor =
  (services: Services, db: Handle, reader: Actor): Resolve =>
  async (mentions) => {
    const accounts = await findAccounts(db, reader, mentions.filter(isOf("account")))
    const issues = mentions.filter(isOf("issue"))
    const commits = mentions.filter(isOf("commit")).slice(0, MOST_COMMITS)
    const lines = mentions.filter(isOf("lines")).slice(0, MOST_CARDS)
    const repositories = await findRepositories(db, reader, [...issues, ...commits, ...lines])
    const numbered = await findIssues(services, db, repositories, issues)
    const known = new Map([...(await findCommits(services, repositories, commits)), ...(await findLines(services, repositories, lines))])
    return mentions.map((mention) => {
      if (mention.kind === "account") return accounts.has(mention.name.toLowerCase()) ? accountTarget(services, mention) : undefined
      return mention.kind === "issue" ? numbered.get(mention) : known.get(mention)
    })
  }

const isOf =
  <Kind extends Mention["kind"]>(kind: Kind) =>
  (mention: Mention): mention is Of<Kind> =>
    mention.kind === kind

const accountTarget = ({ site }: Services, { name }: Of<"account">): Target => ({ href: `${site.rootUrl}/${name}` })

/** Which of the accounts exist and are shown to the reader, in lower case. */
async function findAccounts(db: Handle, reader: Actor, mentions: readonly Of<"account">[]): Promise<ReadonlySet<string>> {
  if (mentions.length === 0) return new Set()
  const names = mentions.map(({ name }) => name.toLowerCase())
  const found = await findListedNames(db, { names, reader })
  return new Set(found.map((row) => row.lower_name))
}

const keyOf = ({ owner, name }: RepositoryName): string => `${owner}/${name}`.toLowerCase()

/** Those of the named repositories that the reader can see, by their names in lower case. */
async function findRepositories(
  db: Handle,
  reader: Actor,
  mentions: readonly { readonly repository: RepositoryName }[],
): Promise<ReadonlyMap<string, OnRepository>> {
  const names = new Map(mentions.map(({ repository }) => [keyOf(repository), repository]))
  if (names.size === 0) return new Map()
  const rows = await findRepositoriesNamed(db, names)
  const owned = await withOwners(db, rows)
  const permissions = await permissionsOn(db, reader, owned)
  return new Map(
    owned.flatMap((each) => {
      const permission: Permission | undefined = permissions.get(each.repository.id)
      const key = keyOf({ owner: each.owner.name, name: each.repository.name })
      return permission && reaches(permission) ? [[key, { ...each, permission }] as const] : []
    }),
  )
}

async function findIssues(
  { site }: Services,
  db: Handle,
  repositories: ReadonlyMap<string, OnRepository>,
  mentions: readonly Of<"issue">[],
): Promise<ReadonlyMap<Mention, Target>> {
  const wanted = mentions.flatMap((mention) => {
    const on = repositories.get(keyOf(mention.repository))
    return on ? [{ mention, on }] : []
  })
  if (wanted.length === 0) return new Map()
  const rows = await findIssuesNumbered(
    db,
    wanted.map(({ mention, on }) => ({ repositoryId: on.repository.id, number: mention.number })),
  )
  const issues = new Map(rows.map((row) => [`${row.repository_id}#${row.number}`, row]))
  return new Map(
    wanted.flatMap(({ mention, on }) => {
      const issue = issues.get(`${on.repository.id}#${mention.number}`)
      if (!issue || !readsKind(on, issue)) return []
      const href = `${addressOf(site.rootUrl, on)}/${issue.is_pull === 1 ? "pulls" : "issues"}/${issue.number}`
      return [[mention, { href, title: issue.title }] as const]
    }),
  )
}

/** Looked up in git, without starting a process for each. */
async function findCommits(
  services: Services,
  repositories: ReadonlyMap<string, OnRepository>,
  mentions: readonly Of<"commit">[],
): Promise<ReadonlyMap<Mention, Target>> {
  const found = new Map<Mention, Target>()
  for (const mention of mentions) {
    const on = repositories.get(keyOf(mention.repository))
    if (!on || unitMode(on.permission, on.repository, "repo.code") < Mode.read) continue
    const id = await commitNamed(services, on, mention.id)
    if (id !== undefined) found.set(mention, { href: `${addressOf(services.site.rootUrl, on)}/commit/${id}` })
  }
  return found
}

/** Lines of files, without starting a process for each. */
async function findLines(
  services: Services,
  repositories: ReadonlyMap<string, OnRepository>,
  mentions: readonly Of<"lines">[],
): Promise<ReadonlyMap<Mention, Target>> {
  const found = new Map<Mention, Target>()
  for (const mention of mentions) {
    const on = repositories.get(keyOf(mention.repository))
    if (!on || unitMode(on.permission, on.repository, "repo.code") < Mode.read) continue
    const shown = await readLines(services, on.repository, mention)
    if (!shown) continue
    const { commit, from, to } = mention
    const address = addressOf(services.site.rootUrl, on)
    // A document that is shown rendered has no lines: its source has.
    const query = isRendered(mention.path) ? "?display=source" : ""
    found.set(mention, {
      href: `${address}/src/commit/${commit}/${escapePath(mention.path)}${query}#L${from}${to > from ? `-L${to}` : ""}`,
      ...(shown.text !== undefined && {
        lines: { text: shown.text, first: from, commit: { id: commit, href: `${address}/commit/${commit}` } },
      }),
    })
  }
  return found
}

async function commitNamed({ git }: Services, { repository: row }: OnRepository, prefix: string): Promise<string | undefined> {
  if (row.is_empty === 1) return undefined
  const repository = git.at(row.storage, row.object_format)
  try {
    const id = await git.objects.expand(repository, prefix)
    return id !== undefined && (await git.objects.info(repository, id))?.type === "commit" ? id : undefined
  } catch (error) {
    // A text can be read even where the repository that it names can't.
    if (isGitError(error)) return undefined
    throw error
  }
}

const addressOf = (rootUrl: string, { owner, repository }: OnRepository): string => `${rootUrl}/${owner.name}/${repository.name}`
