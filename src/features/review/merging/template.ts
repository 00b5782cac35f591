import type { Issue } from "../../../access/policies/issues.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { branchRef, isGitError, type Person } from "../../../git/index.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { findEntry } from "../../code/contents/paths.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { standIn } from "../../people/users/present.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import type { Merging } from "./checks.ts"
import type { MergeStyle } from "./records.ts"
import { findApprovers, findClosing } from "./store.ts"

/** Message templates of a repository: files on its default branch, one for each style. */

/** A message in two parts, as templates and requests give it. */
export interface MessageParts {
  readonly title: string
  readonly body: string
}

/** A person as in trailers. */
export const signatureOf = ({ name, email }: Pick<Person, "name" | "email">): string => `${name} <${email}>`

const TEMPLATES = [".gitea", "default_merge_message"] as const
/** Larger files are not taken for templates. */
const TEMPLATE_BYTES = 64 * 1024

type Values = Readonly<Record<string, string>>

/** The repository's template for a style, filled in; undefined where the default branch has none. */
export async function template(services: Services, found: Merging, style: MergeStyle, more: Values): Promise<MessageParts | undefined> {
  const text = await templateText(services, found, `${style.toUpperCase()}_TEMPLATE.md`)
  if (text === undefined) return undefined
  const [title = "", ...body] = unixLines(text).split("\n")
  const names = new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name))
  const values = { ...(await valuesFor(services, found, names)), ...more }
  const fill = (line: string) => line.replace(VARIABLE, (_, name: string) => values[name] ?? "")
  return { title: fill(title).trim(), body: fill(body.join("\n")).trim() }
}

const VARIABLE = /\$\{([A-Za-z]+)\}/g

async function templateText({ git }: Services, { repository: row }: Merging, name: string): Promise<string | undefined> {
  const repository = git.at(row.storage, row.object_format)
  const tip = row.default_branch === "" ? undefined : await git.references.resolve(repository, branchRef(row.default_branch))
  if (tip === undefined) return undefined
  try {
    const entry = await findEntry(git, repository, (await git.objects.readCommit(repository, tip)).tree, [...TEMPLATES, name])
    if (entry?.mode !== "100644" && entry?.mode !== "100755") return undefined
    const info = await git.objects.info(repository, entry.id)
    if (info === undefined || info.size > TEMPLATE_BYTES) return undefined
    return (await git.objects.readBlob(repository, entry.id)).toString("utf8")
  } catch (error) {
    // A directory that is too large to be read is treated like one without a template.
    if (isGitError(error, "tooLarge")) return undefined
    throw error
  }
}

/** The values of a template's variables. Those that take a query are looked up only where they are used. */
async function valuesFor(services: Services, found: Merging, names: ReadonlySet<string>): Promise<Values> {
  const { repository, owner, issue, pull } = found
  const db = services.database.read
  const head = await headName(db, found)
  const url = issueUrl(repositoryHtmlUrl(services.site, owner.name, repository.name), issue)
  return {
    BaseRepoOwnerName: owner.name,
    BaseRepoName: repository.name,
    BaseBranch: pull.base_branch,
    HeadRepoOwnerName: head.owner,
    HeadRepoName: head.name,
    HeadBranch: pull.head_branch,
    PullRequestTitle: issue.title,
    PullRequestDescription: issue.content,
    PullRequestPosterName: ((await findUserById.first(db, { id: issue.author_id })) ?? standIn(issue.author_id)).name,
    PullRequestIndex: String(issue.number),
    PullRequestReference: reference(found, issue),
    ReviewedOn: `Reviewed-on: ${url}`,
    ...(names.has("ReviewedBy") && { ReviewedBy: await reviewedBy(services, issue) }),
    ...(names.has("ClosingIssues") && { ClosingIssues: await closingIssues(db, found) }),
  }
}

async function reviewedBy(services: Services, issue: Issue): Promise<string> {
  const people = await findApprovers(services.database.read, { issueId: issue.id })
  return [...new Set(people.map((user) => `Reviewed-by: ${signatureOf(commitPerson(services, user))}`))].join("\n")
}

const closingIssues = async (db: Handle, found: Merging): Promise<string> =>
  (await findClosing(db, { issueId: found.issue.id, repositoryId: found.repository.id }))
    .map((target) => `close ${reference(found, target)}`)
    .join(", ")

/** The reference to an issue or pull request. Where issues are kept elsewhere, `#1` means one of those. */
export const reference = ({ repository }: Merging, { number }: Pick<Issue, "number">): string =>
  `${repository.has_issues === 1 && repository.external_tracker_url !== "" ? "!" : "#"}${number}`

/** The head's repository by its current name; empty where it is gone. */
export async function headName(db: Handle, { repository, owner, pull }: Merging) {
  if (pull.head_repository_id === repository.id || pull.is_offered === 1) return { isOwn: true, owner: owner.name, name: repository.name }
  const head = pull.head_repository_id === null ? undefined : await findRepositoryById.first(db, { id: pull.head_repository_id })
  const headOwner = head && (await findUserById.first(db, { id: head.owner_id }))
  return { isOwn: false, owner: headOwner?.name ?? "", name: head?.name ?? "" }
}
