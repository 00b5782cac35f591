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

/** A page with its content, as of the view's commit. Refuses `notFound` for a missing one. */
export async function presentPage({ git, site }: Services, on: Owned, view: PageView): Promise<WikiPage> {
  const { repository, commit, files, address } = view
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
    ...metaData(site, on, address, commits[0]),
    content_base64: await contentAt(git, repository, file),
    commit_count: total,
    sidebar: await contentOf(SIDEBAR),
    footer: await contentOf(FOOTER),
  }
}

/** A page of the list of pages, in the order of git, and how many there are. No process. */
export async function presentPages(
  { git, site }: Services,
  on: Owned,
  { repository, commit, files }: WikiView,
  { offset, limit }: Page,
): Promise<{ readonly pages: WikiPageMetaData[]; readonly total: number }> {
  const shown = files.slice(offset, offset + limit)
  const names = new Set(files.map(({ name }) => name))
  const last = await lastCommits(git, repository, commit, [], [...shown.map(({ name }) => name)])
  const pages = await mapInBatches(shown, async ({ name }) => {
    const id = last.get(name)
    const address = addressOfFile(name, (other) => names.has(other))
    return metaData(site, on, address, id && (await git.objects.readCommit(repository, id)))
  })
  return { pages: [...pages], total: files.length }
}

const REVISIONS = 50

/** Commits that changed a page under its name, newest first, 50 to a page, and how many there are. Refuses `notFound` for a missing page. */
export async function presentRevisions({ git }: Services, { repository, commit, files, address }: PageView, page: number) {
  const file = pageAt(files, address)
  if (!file) throw refuse.notFound()
  const skip = (Math.max(1, page) - 1) * REVISIONS
  const { commits, total } = await git.history.log(repository, { to: [commit.id], path: file.name, skip, limit: REVISIONS })
  return { commits: commits.map(presentCommit), count: total }
}

function metaData(site: Site, { owner, repository }: Owned, address: string, commit: Commit | undefined): WikiPageMetaData {
  return {
    title: titleOfAddress(address),
    html_url: `${repositoryHtmlUrl(site, owner.name, repository.name)}/wiki/${address}`,
    sub_url: address,
    last_commit: commit ? presentCommit(commit) : null,
  }
}

async function contentAt(git: Git, repository: Repository, file: TreeEntry | undefined): Promise<string> {
  if (!file || (await git.objects.namedInfo(repository, file.id)).size > MAX_INLINE_BYTES) return ""
  return (await git.objects.readBlob(repository, file.id)).toString("base64")
}

const presentCommit = ({ id, author, committer, message }: Commit): WikiCommit => ({
  sha: id,
  author: presentPerson(author),
  commiter: presentPerson(committer),
  message,
})

const presentPerson = ({ name, email, when, offset }: Person) => ({ name, email, date: localTime(when, offset) })
