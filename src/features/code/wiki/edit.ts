import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { unixLines } from "../../../core/text/lines.ts"
import type { Repository, TreeEntry } from "../../../git/index.ts"
import { authorshipOf } from "../contents/authorship.ts"
import { decodeBase64 } from "../contents/changes.ts"
import { again } from "../contents/commit.ts"
import { openWorkingTree, type WorkingTree } from "../contents/working-tree.ts"
import { signed } from "../signatures/signing.ts"
import { moveWiki } from "./move.ts"
import { addressOfFile, addressOfTitle, fileOfTitle, isReservedTitle } from "./names.ts"
import type { PageChange } from "./page-change.ts"
import type { CreateWikiPageOptions } from "./records.ts"
import { findWiki, openWiki } from "./repository.ts"
import { type PageView, pageAt, pageFiles } from "./view.ts"

/** Creating, changing and deleting pages through the API: each is a commit to the branch that is shown. */

export interface WikiCall {
  readonly services: Services
  readonly me: User
  readonly on: OnRepository
}

/** What an edit made of the tree. */
interface Edited {
  /** Undefined where no page has changed. */
  readonly told: PageChange | undefined
  /** The message of the commit. */
  readonly message: string
  /** The page's address in the answer. */
  readonly address: string
}

interface Editable {
  readonly tree: WorkingTree
  readonly files: readonly TreeEntry[]
}

/** Longest name of a file, in bytes: the limit of common file systems. */
const LONGEST_FILE = 255

/** Makes a page, and with the first one the wiki. Refuses `badRequest` for an empty, reserved, too long or taken title, and for content that isn't base64. */
export async function createPage(call: WikiCall, options: CreateWikiPageOptions): Promise<PageView> {
  const title = readTitle(options)
  if (title === "") throw refuse.badRequest("[title]: must not be empty")
  const content = readContent(options)
  requireUsable(title)
  return commitTo(call, await openWiki(call.services, call.on.repository), async ({ tree, files }) => {
    await requireFree({ tree, files }, title)
    await tree.put([fileOfTitle(title)], { mode: "100644", content })
    const address = addressOfTitle(title)
    const message = messageOf(options, `Add "${title}"`)
    return { address, message, told: { kind: "wiki.created", page: address, comment: message } }
  })
}

/**
 * Replaces the content of the page at an address, under the same title or another one. Refuses `notFound` for a missing page, `invalid` for one that is no
 * longer what the caller says, and `badRequest` like `createPage`; without a title it stays as it is.
 */
export async function editPage(call: WikiCall, address: string, options: CreateWikiPageOptions): Promise<PageView> {
  const title = readTitle(options)
  const content = readContent(options)
  return commitTo(call, await existing(call), async ({ tree, files }) => {
    const file = pageAt(files, address)
    const leaf = file && (await tree.get([file.name]))
    if (!file || !leaf || leaf === "directory") throw refuse.notFound()
    if (options.sha && file.id !== options.sha) throw refuse.invalid("sha", t`the page is no longer what it was: it is ${file.id}`)
    const wanted = title === "" ? address : addressOfTitle(title)
    const edited = (page: string): Edited => {
      const message = messageOf(options, `Update "${page}"`)
      return { address: wanted, message, told: { kind: "wiki.edited", page, comment: message } }
    }
    if (title === "" || pageAt(files, wanted)?.name === file.name) {
      await tree.put([file.name], { ...leaf, content })
      return edited(addressIn(files, file))
    }
    requireUsable(title)
    await requireFree({ tree, files }, title)
    await tree.remove([file.name])
    await tree.put([fileOfTitle(title)], { ...leaf, content })
    return edited(wanted)
  })
}

/** Removes the page at an address. Refuses `notFound` for a missing one. */
export async function deletePage(call: WikiCall, address: string): Promise<void> {
  await commitTo(call, await existing(call), async ({ tree, files }) => {
    const file = pageAt(files, address)
    if (!file) throw refuse.notFound()
    await tree.remove([file.name])
    const page = addressIn(files, file)
    return { address, message: `Delete page "${page}"`, told: { kind: "wiki.deleted", page, comment: "" } }
  })
}

const addressIn = (files: readonly TreeEntry[], { name }: TreeEntry): string =>
  addressOfFile(name, (other) => files.some((file) => file.name === other))

async function existing({ services, on }: WikiCall): Promise<Repository> {
  const repository = await findWiki(services, on.repository)
  if (!repository) throw refuse.notFound()
  return repository
}

/** Commits an edit to the branch that is shown; it is made again on what concurrent edits left. */
export async function commitTo(call: WikiCall, repository: Repository, edit: (on: Editable) => Promise<Edited>): Promise<PageView> {
  const { git } = call.services
  const ref = await git.references.head(repository)
  return git.references.inTurn(repository, ref, () => again(() => commitOnce(call, repository, edit)))
}

async function commitOnce(
  { services, me, on }: WikiCall,
  repository: Repository,
  edit: (on: Editable) => Promise<Edited>,
): Promise<PageView> {
  const { git } = services
  const ref = await git.references.head(repository)
  const base = await git.references.resolve(repository, ref)
  const parent = base === undefined ? undefined : await git.objects.readCommit(repository, base)
  const tree = openWorkingTree(git, repository, parent?.tree)
  const { told, message, address } = await edit({ tree, files: await pageFiles(git, repository, parent?.tree) })
  const batch = git.objects.batch(repository)
  const root = tree.write(batch)
  const unsigned = { tree: root, parents: parent ? [parent.id] : [], ...authorshipOf(services, me, {}), message: `${message}\n` }
  const id = batch.commit(await signed(services, { purpose: "wiki", user: me, repository }, unsigned))
  const addedBytes = await batch.store()
  const changes = [{ ref, oldId: base ?? null, newId: id }]
  await moveWiki(services, repository, { repositoryId: on.repository.id, pusherId: me.id, changes, told: told ? [told] : [], addedBytes })
  const commit = await git.objects.readCommit(repository, id)
  return { repository, commit, files: await pageFiles(git, repository, commit.tree), address }
}

// --- what is sent -----------------------------------------------------------------------------------------------------------------

const readTitle = ({ title = "" }: CreateWikiPageOptions): string => title.trim()

function requireUsable(title: string): void {
  if (isReservedTitle(title)) throw refuse.badRequest(t`[title]: ${title} is the name of something else; choose another one`)
  if (Buffer.byteLength(fileOfTitle(title)) > LONGEST_FILE)
    throw refuse.badRequest(t`[title]: must take at most ${LONGEST_FILE} bytes, where all but letters, digits and -_.~ take three each`)
}

/** Refuses `badRequest` where there is a page of that title, or something else in its place. */
async function requireFree({ tree, files }: Editable, title: string): Promise<void> {
  if (pageAt(files, addressOfTitle(title)) || (await tree.get([fileOfTitle(title)])))
    throw refuse.badRequest(t`[title]: there is a page of that name already: ${title}`)
}

function readContent({ content_base64: text = "" }: CreateWikiPageOptions): Buffer {
  const content = decodeBase64(text)
  if (!content) throw refuse.badRequest("[content_base64]: must be base64 with padding")
  return content
}

const messageOf = ({ message = "" }: CreateWikiPageOptions, otherwise: string): string => unixLines(message).trim() || otherwise
