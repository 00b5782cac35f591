import type { OnRepository } from "../../../access/policies/repositories.ts"
import { t } from "../../../core/language/message.ts"
import { openParser } from "../../../core/parser.ts"
import type { Services } from "../../../core/services.ts"
import type { TreeEntry } from "../../../git/index.ts"
import { resolveRevision } from "../../code/commits/revision.ts"
import { findEntry } from "../../code/contents/paths.ts"
import { type RevisionView, repositoryOf } from "../../code/contents/present.ts"
import { DEFAULT_CONFIG } from "./config.ts"
import { documentText, readDocument } from "./document.ts"
import type { IssueConfig, IssueTemplate } from "./records.ts"
import { canBeTemplate } from "./template.ts"

/** The folders of templates on the default branch, including those of other services. */
const FOLDERS = ["", ".gitea/", ".github/", ".gitlab/"].flatMap((above) => [`${above}ISSUE_TEMPLATE`, `${above}issue_template`])
const CONFIGS = [".gitea/", ".github/"].flatMap((above) =>
  ["ISSUE_TEMPLATE", "issue_template"].flatMap((folder) => ["yaml", "yml"].map((ending) => `${above}${folder}/config.${ending}`)),
)

/** The most templates read from one repository, the most bytes of one template, and of all of them together. */
const MOST_TEMPLATES = 50
const MOST_BYTES = 128 * 1024
const MOST_TOGETHER = 1024 * 1024

const documents = openParser({
  name: "templates",
  what: t("templates of issues"),
  module: "features/planning/issue-templates/thread",
  parse: readDocument,
})

/** The default branch, or undefined where it has no commits. */
async function locationOf(services: Services, owned: OnRepository): Promise<RevisionView | undefined> {
  const revision = await resolveRevision(services.git, owned.repository, undefined)
  return revision && { services, owned, revision }
}

/** The usable templates; invalid ones, and those beyond the limit of all together, are skipped. */
export async function findTemplates(services: Services, owned: OnRepository): Promise<readonly IssueTemplate[]> {
  const place = await locationOf(services, owned)
  const found: IssueTemplate[] = []
  let bytes = 0
  for (const folder of place ? FOLDERS : [])
    for (const entry of place ? await filesIn(place, folder) : []) {
      if (found.length === MOST_TEMPLATES) return found
      const text = place && (await readText(place, entry))
      bytes += text?.length ?? 0
      if (text === undefined || bytes > MOST_TOGETHER) continue
      const path = `${folder}/${entry.name}`
      const read = await documents.parse(`template ${path} ${entry.id}`, documentText("template", path, text))
      if (read?.kind === "template") found.push(read.template)
    }
  return found
}

const PULL_FOLDERS = [".gitea", ".github", "docs"] as const

/** What the text of a new pull request begins with; "" without a template. */
export async function findPullTemplate(services: Services, owned: OnRepository): Promise<string> {
  const place = await locationOf(services, owned)
  if (!place) return ""
  const { git } = services
  const { tree } = place.revision.commit
  const trees = [tree]
  for (const folder of PULL_FOLDERS) {
    const entry = await findEntry(git, repositoryOf(place), tree, [folder])
    if (entry?.mode === "40000") trees.push(entry.id)
  }
  for (const id of trees)
    for (const entry of await git.objects.readTree(repositoryOf(place), id)) {
      if (entry.name.toLowerCase() !== "pull_request_template.md") continue
      const text = await readText(place, entry)
      if (text !== undefined) return text
    }
  return ""
}

async function filesIn(place: RevisionView, folder: string): Promise<readonly TreeEntry[]> {
  const { git } = place.services
  const entry = await findEntry(git, repositoryOf(place), place.revision.commit.tree, folder.split("/"))
  if (entry?.mode !== "40000") return []
  return (await git.objects.readTree(repositoryOf(place), entry.id)).filter(({ name }) => canBeTemplate(name))
}

async function readText(place: RevisionView, { mode, id }: TreeEntry): Promise<string | undefined> {
  const { objects } = place.services.git
  if (mode !== "100644" && mode !== "100755") return undefined
  const info = await objects.info(repositoryOf(place), id)
  if (!info || info.size > MOST_BYTES) return undefined
  return (await objects.readBlob(repositoryOf(place), id)).toString("utf8")
}

/** The settings of a repository's issues, and the error in them; the default settings where they can't be used. */
export async function findConfig(
  services: Services,
  owned: OnRepository,
): Promise<{ readonly config: IssueConfig; readonly fault: string | undefined }> {
  const place = await locationOf(services, owned)
  for (const path of place ? CONFIGS : []) {
    const entry = place && (await findEntry(services.git, repositoryOf(place), place.revision.commit.tree, path.split("/")))
    if (!entry) continue
    const text = await readText(place, entry)
    if (text === undefined) return { config: DEFAULT_CONFIG, fault: `${path} is no file of at most ${MOST_BYTES} bytes` }
    const read = await documents.parse(`config ${entry.id}`, documentText("config", path, text))
    if (read?.kind === "config") return { config: read.config, fault: undefined }
    return { config: DEFAULT_CONFIG, fault: read?.kind === "fault" ? read.fault : `${path} takes too long to be read` }
  }
  return { config: DEFAULT_CONFIG, fault: undefined }
}
