import { findUserById } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { t, type Words } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { type Commit, isGitError, isObjectId, type ObjectId, type Person } from "../../../git/index.ts"
import { identityOf } from "../../code/commits/identity.ts"
import { commitPerson } from "../../code/commits/people.ts"
import type { Sign } from "../../code/signatures/signing.ts"
import { findAddressesOf } from "../../people/users/addresses-store.ts"
import type { Merging } from "./checks.ts"
import { rebasedMessage, withTrailer } from "./message.ts"
import type { MergeStyle } from "./records.ts"
import { mergeSigner } from "./signing.ts"
import { signatureOf } from "./template.ts"
import type { Trial } from "./trial.ts"

/** Makes the commits of a merge. No reference names them yet. */

/** The commit that the base branch names after the merge. */
export interface Built {
  readonly id: ObjectId
  /** The commits that were written for it. */
  readonly written: readonly ObjectId[]
}

interface Plan extends Trial {
  readonly committer: Person
  readonly sign: Sign | undefined
  readonly message: string
}

/**
 * Writes the commits of a merge in this style. Refuses `conflict`, with the members that existing clients expect in such a refusal.
 * Git processes: usually none for "merge", "squash" and "fast-forward-only"; a rebase takes one, and one more for each commit.
 */
export async function build(services: Services, found: Merging, trial: Trial, style: MergeStyle, message: string): Promise<Built> {
  const committer = commitPerson(services, found.me)
  const { base, head, tree } = trial
  const sign = await mergeSigner(services, found.me, trial, style)
  const plan: Plan = { ...trial, committer, message, sign }
  switch (style) {
    case "merge":
      return writeOne(services, plan, { tree, parents: [base, head], author: committer })
    case "squash":
      return squash(services, found, plan)
    case "fast-forward-only":
      if (!(await services.git.history.isAncestor(trial.repository, base, head)))
        throw conflict(style, t("the base has commits that the head hasn't: it can't be forwarded"))
      return { id: head, written: [] }
    case "rebase":
      return rebase(services, found, plan)
    case "rebase-merge":
      return rebaseAndMerge(services, plan)
  }
}

/** The refusal of a conflict, with the members that existing clients look for. */
function conflict(style: MergeStyle, said: Words, more: Readonly<Record<string, unknown>> = {}) {
  const words = String(said)
  return refuse.conflict(said, { Style: style, StdOut: "", StdErr: words, Err: words, ...more })
}

const fileList = (files: readonly string[]): string => (files.length === 0 ? "" : `: ${files.slice(0, 20).join(", ")}`)

interface Content {
  readonly tree: ObjectId
  readonly parents: readonly ObjectId[]
  readonly author: Person
  /** The header of the commit that this one takes the place of. */
  readonly changeId?: string | undefined
}

async function writeOne(
  { git }: Services,
  { repository, committer, message, sign }: Plan,
  { tree, parents, author, changeId }: Content,
): Promise<Built> {
  const unsigned = { tree, parents, author, committer, message, changeId }
  const id = await git.objects.writeCommit(repository, sign ? await sign(unsigned) : unsigned)
  return { id, written: [id] }
}

async function squash(services: Services, found: Merging, plan: Plan): Promise<Built> {
  // From where the head left the base, which may have moved on since: mostly a linear history, which takes no process.
  const { repository, head, base } = plan
  const from = isObjectId(found.pull.merge_base, repository.format) ? found.pull.merge_base : base
  const { commits, total } = await services.git.history.between(repository, {
    to: head,
    from,
    limit: MOST_COMMITS,
    countAtMost: MOST_COMMITS,
  })
  const author = await squashAuthor(services, found, plan, commits)
  const isSamePerson = signatureOf(author) === signatureOf(plan.committer)
  const message = isSamePerson ? plan.message : withTrailer(plan.message, "Co-authored-by", signatureOf(author))
  // One commit stays the same change. Its author has it on a branch too where there is one: Jujutsu would find the header on both, and take them for rivals.
  const only = total === 1 ? commits[0] : undefined
  const changeId = found.pull.is_offered === 1 ? only?.changeId : undefined
  const content = { tree: plan.tree, parents: [base], author, changeId }
  return writeOne(services, { ...plan, message: only ? withIdentity(message, only) : message }, content)
}

/** How many commits of the head are searched for one by its author. */
const MOST_COMMITS = 100

/** The author of the pull request, with the name and address of their own commits, if any. */
async function squashAuthor(services: Services, { issue }: Merging, { committer }: Plan, commits: readonly Commit[]): Promise<Person> {
  const { database } = services
  const poster = await findUserById.first(database.read, { id: issue.author_id })
  if (!poster) return committer
  const addresses = new Set((await findAddressesOf(database.read, { userId: poster.id })).map(({ email }) => email.toLowerCase()))
  const own = commits.find(({ author }) => addresses.has(author.email.toLowerCase()))?.author
  const { name, email } = own && own.name !== "" ? own : commitPerson(services, poster)
  return { ...committer, name, email }
}

/** Applies the head's commits on top of the base. Refuses `conflict`, and `tooLarge` for thousands of commits. */
async function applyCommits({ git }: Services, { repository, base, head, committer, sign }: Plan, style: MergeStyle) {
  try {
    const rebased = await git.merging.rebase(repository, { onto: base, upstream: base, head, committer, sign })
    if (rebased.kind === "done") return rebased
    if (rebased.kind === "unfit") throw refuse.invalid("index", t`the rebase would be refused in a push: ${rebased.reason}`)
    throw conflict(style, t`commit ${rebased.commit} can't be applied to the base${fileList(rebased.files)}`, { CommitSHA: rebased.commit })
  } catch (error) {
    if (isGitError(error, "tooLarge")) throw refuse.tooLarge("too many commits to rebase")
    throw error
  }
}

async function rebase(services: Services, found: Merging, plan: Plan): Promise<Built> {
  const { git } = services
  const { head, commits } = await applyCommits(services, plan, "rebase")
  if (commits.length === 0) return { id: head, written: [] }
  const last = await git.objects.readCommit(plan.repository, head)
  const message = await rebasedMessage(services, found, last.message)
  if (message === undefined) return { id: head, written: commits }
  const { id } = await writeOne(services, { ...plan, message: withIdentity(message, last) }, last)
  return { id, written: [...commits, id] }
}

/** The message with the trailer of the change that a commit is, unless it has that already. */
function withIdentity(message: string, { message: before }: Commit): string {
  const identity = identityOf({ message: before })
  return identity.kind === "one" && identityOf({ message }).kind === "none" ? withTrailer(message, "Change-Id", identity.id) : message
}

async function rebaseAndMerge(services: Services, plan: Plan): Promise<Built> {
  const { head, commits } = await applyCommits(services, plan, "rebase-merge")
  // Nothing is left to merge.
  if (commits.length === 0) return { id: plan.base, written: [] }
  const { tree } = await services.git.objects.readCommit(plan.repository, head)
  const { id } = await writeOne(services, plan, { tree, parents: [plan.base, head], author: plan.committer })
  return { id, written: [...commits, id] }
}
