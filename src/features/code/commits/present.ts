import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { memoize } from "../../../core/memoize.ts"
import { localTime, NEVER } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { byBytes, type ChangedFile, type Commit, type ObjectId, type Person, sumOf } from "../../../git/index.ts"
import { presentUser } from "../../people/users/present.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../repositories/urls.ts"
import type { PayloadUser, Verification } from "../signatures/records.ts"
import { UNSIGNED, verifications } from "../signatures/verification.ts"
import { findPeople } from "./people.ts"
import type { Commit as CommitRecord, PayloadCommit } from "./records.ts"

/** Optional parts of a commit record; each costs extra reads. */
export interface CommitOptions {
  readonly stat: boolean
  readonly files: boolean
  readonly verification: boolean
}

/** The longest message, in UTF-16 units, of a commit that is one of several in a list. On its own it is whole. */
const LONGEST_IN_LISTS = 16 * 1024

const shortenedIn = <C extends Pick<Commit, "message">>(list: readonly unknown[], commit: C): C =>
  list.length === 1 || commit.message.length <= LONGEST_IN_LISTS
    ? commit
    : { ...commit, message: `${commit.message.slice(0, LONGEST_IN_LISTS).toWellFormed()}…` }

/** Commits of one repository as records, in their order: at most two queries and one process, however many there are. */
export async function presentCommits(
  services: Services,
  db: Handle,
  on: Owned,
  commits: readonly Commit[],
  options: CommitOptions,
): Promise<CommitRecord[]> {
  const { git, site } = services
  const repository = git.at(on.repository.storage, on.repository.object_format)
  const person = await findPeople(db, site, peopleOf(commits))
  const verified = options.verification ? await verifications(db, services, commits) : new Map<ObjectId, Verification>()
  // Most pages have few distinct authors.
  const present = memoize((user: User) => presentUser(site, user))
  const account = (of: Person) => {
    const user = person(of)
    return user ? present(user) : null
  }
  const ids = commits.map(({ id }) => id)
  const changes = options.stat || options.files ? await git.diffs.ofCommits(repository, ids) : new Map<ObjectId, readonly ChangedFile[]>()
  return commits.map((commit) => {
    const changed = changes.get(commit.id) ?? []
    return {
      ...presentCommit(site, on, shortenedIn(commits, commit), account, verified.get(commit.id) ?? null),
      files: options.files ? affected(changed) : null,
      stats: options.stat ? statsOf(changed) : null,
    }
  })
}

const peopleOf = (commits: readonly Pick<Commit, "author" | "committer">[]): readonly Person[] =>
  commits.flatMap(({ author, committer }) => [author, committer])

function presentCommit(
  site: Site,
  { owner, repository }: Owned,
  { id, tree, parents, author, committer, message }: Commit,
  account: (person: Person) => CommitRecord["author"],
  verification: Verification | null,
): Omit<CommitRecord, "files" | "stats"> {
  const api = repositoryApiUrl(site, owner.name, repository.name)
  const url = `${api}/git/commits/${id}`
  const created = timeOf(committer)
  return {
    url,
    sha: id,
    created,
    html_url: `${repositoryHtmlUrl(site, owner.name, repository.name)}/commit/${id}`,
    commit: {
      url,
      author: { name: author.name, email: author.email, date: timeOf(author) },
      committer: { name: committer.name, email: committer.email, date: created },
      message,
      tree: { url: `${api}/git/trees/${tree}`, sha: tree, created },
      verification,
    },
    author: account(author),
    committer: account(committer),
    parents: parents.map((parent) => ({ url: `${api}/git/commits/${parent}`, sha: parent, created: NEVER })),
  }
}

const timeOf = ({ when, offset }: Person): string => localTime(when, offset)

function statsOf(files: readonly ChangedFile[]) {
  const { additions, deletions } = sumOf(files)
  return { total: additions + deletions, additions, deletions }
}

/** The paths by kind of change: added, removed, modified. A rename counts as one removed and one added. */
function affected(files: readonly ChangedFile[]): NonNullable<CommitRecord["files"]> {
  const named = (status: "added" | "removed" | "modified", paths: readonly string[]) =>
    [...paths].sort(byBytes).map((filename) => ({ filename, status }))
  const isNew = ({ status }: ChangedFile) => status === "added" || status === "renamed" || status === "copied"
  const gone = files.flatMap(({ status, path, previousPath }) =>
    status === "deleted" ? [path] : status === "renamed" && previousPath !== undefined ? [previousPath] : [],
  )
  return [
    ...named("added", files.filter(isNew).map(pathOf)),
    ...named("removed", gone),
    ...named("modified", files.filter(({ status }) => status === "modified" || status === "typechanged").map(pathOf)),
  ]
}

const pathOf = ({ path }: ChangedFile): string => path

/** An unsigned commit, as far as it is presented. */
export type UnsignedCommit = Pick<Commit, "id" | "author" | "committer" | "message"> & { readonly signature: undefined }

/** Commits of one repository as branches and webhooks show them, by id: in two queries, however many there are. */
export async function presentPayloadCommits(
  services: Services,
  db: Handle,
  { owner, repository }: Owned,
  commits: readonly (Commit | UnsignedCommit)[],
): Promise<ReadonlyMap<ObjectId, PayloadCommit>> {
  const { site } = services
  const person = await findPeople(db, site, peopleOf(commits))
  const signed = commits.filter((commit): commit is Commit => commit.signature !== undefined)
  const verified = signed.length === 0 ? new Map<ObjectId, Verification>() : await verifications(db, services, signed)
  const html = repositoryHtmlUrl(site, owner.name, repository.name)
  const named = (of: Person): PayloadUser => ({ name: of.name, email: of.email, username: person(of)?.name ?? "" })
  return new Map(
    commits.map((commit) => [
      commit.id,
      {
        id: commit.id,
        message: shortenedIn(commits, commit).message,
        url: `${html}/commit/${commit.id}`,
        author: named(commit.author),
        committer: named(commit.committer),
        verification: verified.get(commit.id) ?? UNSIGNED,
        timestamp: timeOf(commit.author),
        added: null,
        removed: null,
        modified: null,
      },
    ]),
  )
}

/** One commit as `presentPayloadCommits` returns it. */
export async function presentPayloadCommit(services: Services, db: Handle, on: Owned, commit: Commit): Promise<PayloadCommit> {
  const record = (await presentPayloadCommits(services, db, on, [commit])).get(commit.id)
  if (!record) throw new TypeError("one commit makes one record")
  return record
}
