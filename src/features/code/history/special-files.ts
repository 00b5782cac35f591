import type { Git, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import { licenseFiles } from "../languages/licenses.ts"

/** Files that pages show without being asked for them, found in trees that are read in this process. */

export interface FoundFile {
  /** From the root. */
  readonly path: string
  readonly entry: TreeEntry
}

export interface SpecialFiles {
  readonly readme: FoundFile | undefined
  /** Which licences they hold is stored with the repository. */
  readonly licenses: readonly FoundFile[]
  /** How to cite it: CITATION.cff. */
  readonly citation: FoundFile | undefined
}

/** Kinds of READMEs, those that are rendered first. */
const README_ENDINGS = ["md", "markdown", "mdown", "mkd", "org", "rst", "adoc", "asciidoc", "textile", "txt", ""]
/** Where a repository may have a README that its root lacks. */
const README_FOLDERS = [".forgejo", ".gitea", ".github", "docs"]

const isFile = ({ mode }: TreeEntry): boolean => mode === "100644" || mode === "100755" || mode === "120000"

/** The README among the entries of a directory: of several, the one that is best rendered. */
export function readmeAmong(entries: readonly TreeEntry[]): TreeEntry | undefined {
  const ranked = entries.flatMap((entry) => {
    const ending = isFile(entry) ? /^readme(?:\.([a-z]+))?$/i.exec(entry.name) : null
    const rank = ending ? README_ENDINGS.indexOf(ending[1]?.toLowerCase() ?? "") : -1
    return rank === -1 ? [] : [{ entry, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank)[0]?.entry
}

/** The special files of a root. At most five trees are read, and no process is started for them but a reader. Throws `missing`. */
export async function specialFiles(git: Git, repository: Repository, root: ObjectId): Promise<SpecialFiles> {
  const entries = await git.objects.readTree(repository, root)
  const citation = entries.find((entry) => isFile(entry) && entry.name.toLowerCase() === "citation.cff")
  return {
    readme: await findReadme(git, repository, entries),
    licenses: licenseFiles(entries).map((entry) => ({ path: entry.name, entry })),
    citation: citation && { path: citation.name, entry: citation },
  }
}

async function findReadme(git: Git, repository: Repository, root: readonly TreeEntry[]): Promise<FoundFile | undefined> {
  const here = readmeAmong(root)
  if (here) return { path: here.name, entry: here }
  for (const folder of README_FOLDERS) {
    const tree = root.find(({ name, mode }) => mode === "40000" && name === folder)
    const entry = tree && readmeAmong(await git.objects.readTree(repository, tree.id))
    if (entry) return { path: `${folder}/${entry.name}`, entry }
  }
  return undefined
}
