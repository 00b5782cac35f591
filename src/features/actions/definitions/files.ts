import { t } from "../../../core/language/message.ts"
import { openParser } from "../../../core/parser.ts"
import type { Git, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import { findEntry } from "../../code/contents/paths.ts"
import { readWorkflow, unreadable, type Workflow } from "./workflow.ts"

/** The folders of workflows; only the first that exists is read. */
const FOLDERS = [".hearth/workflows", ".gitea/workflows", ".github/workflows"]

/** The maximum bytes of a file, number of files, bytes in total, and depth of folders. */
const LARGEST = 512 * 1024
const MOST_FILES = 100
const DEEPEST = 5

export interface WorkflowFile {
  /** The path below the folder. */
  readonly name: string
  readonly folder: string
  readonly entry: TreeEntry
}

/** The workflow files in a tree, by name. Reads git, so it must not be called in a transaction. */
export async function findWorkflowFiles(git: Git, repository: Repository, tree: ObjectId): Promise<readonly WorkflowFile[]> {
  for (const folder of FOLDERS) {
    const root = await findEntry(git, repository, tree, folder.split("/"))
    if (root?.mode !== "40000") continue
    const files: WorkflowFile[] = []
    await collect(git, repository, { folder, below: "", tree: root.id, depth: 0 }, files)
    return files
  }
  return []
}

interface Folder {
  readonly folder: string
  readonly below: string
  readonly tree: ObjectId
  readonly depth: number
}

async function collect(git: Git, repository: Repository, { folder, below, tree, depth }: Folder, into: WorkflowFile[]): Promise<void> {
  for (const entry of await git.objects.readTree(repository, tree)) {
    if (into.length === MOST_FILES) return
    const name = `${below}${entry.name}`
    if (entry.mode === "40000" && depth < DEEPEST)
      await collect(git, repository, { folder, below: `${name}/`, tree: entry.id, depth: depth + 1 }, into)
    else if ((entry.mode === "100644" || entry.mode === "100755") && /\.ya?ml$/.test(entry.name)) into.push({ folder, name, entry })
  }
}

/** Bytes that may still be read for one request or push: parsing a workflow takes a microsecond for each. */
export interface Budget {
  left: number
}
const MOST_BYTES = 4 * 1024 * 1024
export const newBudget = (): Budget => ({ left: MOST_BYTES })

const workflows = openParser({
  name: "workflows",
  what: t("workflows"),
  module: "features/actions/definitions/thread",
  parse: readWorkflow,
})

/** A workflow of a file. One that is larger than the limit or the rest of the budget, or can't be read, has an error. */
export async function openWorkflow(
  git: Git,
  repository: Repository,
  { entry }: Pick<WorkflowFile, "entry">,
  budget: Budget = newBudget(),
): Promise<Workflow> {
  const info = await git.objects.info(repository, entry.id)
  if (!info || info.size > LARGEST) return unreadable(`the file is larger than ${LARGEST} bytes`)
  if (info.size > budget.left) return unreadable(`the workflow files are larger than ${MOST_BYTES} bytes together`)
  budget.left -= info.size
  const text = (await git.objects.readBlob(repository, entry.id)).toString("utf8")
  return (await workflows.parse(entry.id, text)) ?? unreadable("the file takes too long to be read")
}
