import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { branchRef, type Commit, type Repository } from "../../../git/index.ts"
import { commitPerson } from "../commits/people.ts"
import type { CreateRepoOption } from "../repositories/records.ts"
import { gitignores as gitignoreTemplates } from "../repositories/templates/gitignores.ts"
import { fillLicense, licenseText } from "../repositories/templates/licenses.ts"
import { signed } from "../signatures/signing.ts"

/** The first commit of a repository that isn't created empty. */

/** The only readme template. */
const README = "Default"
export const INITIAL_MESSAGE = "Initial commit\n"

export interface InitialFile {
  readonly name: string
  readonly text: string
}

type InitialFileOptions = Pick<CreateRepoOption, "name" | "description" | "gitignores" | "license" | "readme">

/**
 * The initial files of a repository: README.md, and .gitignore and LICENSE if requested.
 * Refuses `invalid` for unknown templates.
 */
export async function initialFiles(
  options: InitialFileOptions,
  { owner, year }: { readonly owner: User; readonly year: number },
): Promise<readonly InitialFile[]> {
  const { name, description = "", gitignores = "", license = "", readme = "" } = options
  if (readme !== "" && readme !== README) throw refuse.invalid("readme", t`there is no template ${readme}; there is ${README}`)
  const files = [{ name: "README.md", text: `# ${name}\n\n${unixLines(description)}` }]
  const ignored = templateNames(gitignores)
  if (ignored.length > 0) files.push({ name: ".gitignore", text: (await Promise.all(ignored.map(gitignoreSection))).join("") })
  if (license !== "") {
    const text = await licenseText(license)
    if (text === undefined) throw refuse.invalid("license", t`there is no licence ${license}; GET /licenses lists them`)
    files.push({ name: "LICENSE", text: fillLicense(license, text, { name: owner.name, year }) })
  }
  return files
}

const templateNames = (list: string): readonly string[] =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

async function gitignoreSection(name: string): Promise<string> {
  const text = await gitignoreTemplates.text(name)
  if (text === undefined) throw refuse.invalid("gitignores", t`there is no template ${name}; GET /gitignore/templates lists them`)
  return `# ---> ${name}\n${text}\n`
}

/** Commits the files as the first commit of a branch. */
export async function commitFiles(
  services: Services,
  repository: Repository,
  { files, branch, author }: { readonly files: readonly InitialFile[]; readonly branch: string; readonly author: User },
): Promise<Commit> {
  const { objects, references } = services.git
  const entries = await Promise.all(
    files.map(async ({ name, text }) => ({ name, mode: "100644" as const, id: await objects.writeBlob(repository, text) })),
  )
  const tree = await objects.writeTree(repository, entries)
  const person = commitPerson(services, author)
  const unsigned = { tree, parents: [], author: person, committer: person, message: INITIAL_MESSAGE }
  const commit = await signed(services, { purpose: "initial", user: author, repository: repository }, unsigned)
  const id = await objects.writeCommit(repository, commit)
  await references.update(repository, [{ name: branchRef(branch), to: id, from: null }])
  return objects.readCommit(repository, id)
}
