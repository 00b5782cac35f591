import type { Owned } from "../../../access/permission.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit, Git, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import { filesOfAddress, isPageFile } from "./names.ts"
import { findWiki } from "./repository.ts"

/** The pages of a wiki: regular files at the root of the branch that is shown whose names end in `.md`. */

/** A wiki at a commit. */
export interface WikiView {
  readonly repository: Repository
  readonly commit: Commit
  readonly files: readonly TreeEntry[]
}

/** A wiki at a commit, and the address of one of its pages. */
export interface PageView extends WikiView {
  readonly address: string
}

/** The wiki as it is now. Refuses `notFound` where it has no commit yet. */
export async function openView(services: Services, { repository: row }: Owned): Promise<WikiView> {
  const { git } = services
  const repository = await findWiki(services, row)
  const tip = repository && (await git.references.resolve(repository, "HEAD"))
  if (!repository || tip === undefined) throw refuse.notFound()
  const commit = await git.objects.readCommit(repository, tip)
  return { repository, commit, files: await pageFiles(git, repository, commit.tree) }
}

const isPage = ({ mode, name }: TreeEntry): boolean => (mode === "100644" || mode === "100755") && isPageFile(name)

/** The files of pages in the order of git, which is that of their bytes; none of an empty wiki. */
export const pageFiles = async (git: Git, repository: Repository, tree: ObjectId | undefined): Promise<readonly TreeEntry[]> =>
  tree === undefined ? [] : (await git.objects.readTree(repository, tree)).filter(isPage)

/** The file of the page at an address. */
export function pageAt(files: readonly TreeEntry[], address: string): TreeEntry | undefined {
  for (const name of filesOfAddress(address)) {
    const found = files.find((file) => file.name === name)
    if (found) return found
  }
  return undefined
}
