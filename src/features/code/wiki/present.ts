import type { Owned } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import { refuse } from "../../../core/errors.ts"
import type { Page } from "../../../core/operation.ts"
import { localTime } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import type { Commit, Git, Person, Repository, TreeEntry } from "../../../git/index.ts"
import { lastCommits } from "../contents/last-commits.ts"
import { MAX_INLINE_BYTES } from "../contents/records.ts"
import { repositoryHtmlUrl } from "../repositories/urls.ts"
import { addressOfFile, titleOfAddress } from "./names.ts"
import type { WikiCommit, WikiPage, WikiPageMetaData } from "./records.ts"
import { type PageView, pageAt, type WikiView } from "./view.ts"

const SIDEBAR = "_Sidebar.md"
const FOOTER = "_Footer.md"

/** A page of a list, as pages and records are made of it. */
export interface PageLine {
  readonly title: string
  /** Its name in addresses, with its escapes. */
  readonly address: string
  /** The last commit that changed it. */
  readonly commit: Commit | undefined
}

/** A page with its texts; those that are too large, or aren't there, are empty. */
export interface WholePage extends PageLine {
  readonly content: Buffer
  /** How many commits changed the page under this name. */
  readonly commits: number
  readonly sidebar: Buffer
  readonly footer: Buffer
}

/** A page as of the view's commit. Refuses `notFound` for a missing one. */
export async function readPage({ git }: Services, { repository, commit, files, address }: PageView): Promise<WholePage> {
  const file = pageAt(files, address)
  if (!file) throw refuse.notFound()
  const { commits, total } = await git.history.log(repository, { to: [commit.id], path: file.name, skip: 0, limit: 1 })
  const contentOf = (name: string) =>
    contentAt(
      git,
      repository,
      files.find((other) => other.name === name),
    )
  return {
    title: titleOfAddress(address),
    address,
    commit: commits[0],
    content: await contentAt(git, repository, file),
    commits: total,
    sidebar: await contentOf(SIDEBAR),
    footer: await contentOf(FOOTER),
  }
}

export async function presentPage(services: Services, on: Owned, view: PageView): Promise<WikiPage> {
  const page = await readPage(services, view)
  return {
    ...metaData(services.site, on, page),
    content_base64: page.content.toString("base64"),
    commit_count: page.commits,
    sidebar: page.sidebar.toString("base64"),
    footer: page.footer.toString("base64"),
  }
}

/** A page of the list of pages, in the order of git, and how many there are. No process. */
export async function listPages(
  { git }: Services,
  { repository, commit, files }: WikiView,
  { offset, limit }: Pick<Page, "offset" | "limit">,
): Promise<{ readonly pages: readonly PageLine[]; readonly total: number }> {
  const shown = files.slice(offset, offset + limit)
  const names = new Set(files.map(({ name }) => name))
  const last = await lastCommits(git, repository, commit, [], [...shown.map(({ name }) => name)])
  const pages = await mapInBatches(shown, async ({ name }) => {
    const id = last.get(name)
    const address = addressOfFile(name, (other) => names.has(other))
    return { title: titleOfAddress(address), address, commit: id && (await git.objects.readCommit(repository, id)) }
  })
  return { pages, total: files.length }
}

export async function presentPages(services: Services, on: Owned, view: WikiView, page: Page) {
  const { pages, total } = await listPages(services, view, page)
  return { pages: pages.map((line) => metaData(services.site, on, line)), total }
}

export const REVISIONS = 50

/** Commits that changed a page under its name, newest first, 50 to a page, and how many there are. Refuses `notFound` for a missing page. */
export function listRevisions({ git }: Services, { repository, commit, files, address }: PageView, page: number) {
  const file = pageAt(files, address)
  if (!file) throw refuse.notFound()
  const skip = (Math.max(1, page) - 1) * REVISIONS
  return git.history.log(repository, { to: [commit.id], path: file.name, skip, limit: REVISIONS })
}

export async function presentRevisions(services: Services, view: PageView, page: number) {
  const { commits, total } = await listRevisions(services, view, page)
  return { commits: commits.map(presentCommit), count: total }
}

const metaData = (site: Site, { owner, repository }: Owned, { title, address, commit }: PageLine): WikiPageMetaData => ({
  title,
  html_url: `${repositoryHtmlUrl(site, owner.name, repository.name)}/wiki/${address}`,
  sub_url: address,
  last_commit: commit ? presentCommit(commit) : null,
})

const NOTHING = Buffer.alloc(0)

async function contentAt(git: Git, repository: Repository, file: TreeEntry | undefined): Promise<Buffer> {
  if (!file || (await git.objects.namedInfo(repository, file.id)).size > MAX_INLINE_BYTES) return NOTHING
  return git.objects.readBlob(repository, file.id)
}

const presentCommit = ({ id, author, committer, message }: Commit): WikiCommit => ({
  sha: id,
  author: presentPerson(author),
  commiter: presentPerson(committer),
  message,
})

const presentPerson = ({ name, email, when, offset }: Person) => ({ name, email, date: localTime(when, offset) })
