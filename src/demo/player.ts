import type { Owned } from "../access/permission.ts"
import type { User } from "../core/actor.ts"
import type { Services } from "../core/services.ts"
import { branchRef, type ObjectId, type Person, type RefName, type Repository, type TreeEntry, tagRef } from "../git/index.ts"
import { type Author, addressOf, members } from "./cast.ts"
import { push } from "./push.ts"
import { type Edit, MAIN, type Step } from "./story.ts"

/** The files of a commit, by path. */
type Files = ReadonlyMap<string, string>

/** A branch as its owner's computer has it. */
interface Line {
  readonly tip: ObjectId
  readonly files: Files
  /** What main had where the branch left it. */
  readonly base: Files
}

export interface Playing {
  readonly services: Services
  readonly owned: Owned
  /** Who pushes what which author did. */
  readonly people: Readonly<Record<Author, User>>
  /** Midnight (UTC) of the story's first day, in seconds. */
  readonly beginning: number
  readonly steps: readonly Step[]
  readonly progress: (done: number, of: number) => void
}

/**
 * Plays a story in a repository that has a main branch: writes its commits, and pushes for each author what a day brought. There is no work
 * tree; files exist as blobs only. Fails where an edit doesn't fit, or a merge would need a person.
 */
export async function play({ services, owned, people, beginning, steps, progress }: Playing): Promise<void> {
  const { git } = services
  const repository = git.at(owned.repository.storage, owned.repository.object_format)
  const pushed = new Map<RefName, ObjectId>()
  const local = new Map<RefName, ObjectId>()
  const lines = new Map<string, Line>()
  const tip = await git.references.resolve(repository, branchRef(MAIN))
  if (tip === undefined) throw new TypeError("a story continues a main branch, and there is none")
  const files = await readFiles(services, repository, (await git.objects.readCommit(repository, tip)).tree)
  lines.set(MAIN, { tip, files, base: files })
  pushed.set(branchRef(MAIN), tip)
  local.set(branchRef(MAIN), tip)

  for (const [index, step] of steps.entries()) {
    await take(step)
    progress(index + 1, steps.length)
    const next = steps[index + 1]
    if (next?.by !== step.by || next.day !== step.day) await publish(step)
  }

  async function take(step: Step): Promise<void> {
    const main = lineOf(MAIN)
    const person = personAt(step)
    if (step.kind === "tag") {
      const written = { object: main.tip, type: "commit", name: step.name, tagger: person, message: `${step.message}\n` } as const
      local.set(tagRef(step.name), await git.objects.writeTag(repository, written))
    } else if (step.kind === "merge") {
      const side = lineOf(step.branch)
      const merged = mergeFiles(side, main.files)
      await record(MAIN, main.base, merged, [main.tip, side.tip], person, `Merge branch '${step.branch}'\n`)
      lines.delete(step.branch)
      local.delete(branchRef(step.branch))
    } else {
      const line = lines.get(step.branch) ?? { ...main, base: main.files }
      await record(step.branch, line.base, applyEdits(line.files, step.edits), [line.tip], person, `${step.message}\n`)
    }
  }

  async function record(
    branch: string,
    base: Files,
    now: Files,
    parents: readonly ObjectId[],
    person: Person,
    message: string,
  ): Promise<void> {
    const tree = await writeFiles(services, repository, now)
    const id = await git.objects.writeCommit(repository, { tree, parents, author: person, committer: person, message })
    lines.set(branch, { tip: id, files: now, base })
    local.set(branchRef(branch), id)
  }

  function lineOf(branch: string): Line {
    const line = lines.get(branch)
    if (!line) throw new TypeError(`the story has no branch ${branch}`)
    return line
  }

  function personAt({ by, day, minute }: Step): Person {
    const { fullName, offset } = members[by]
    return { name: fullName, email: addressOf(by), when: beginning + day * 86_400 + minute * 60, offset }
  }

  /** Pushes whatever differs from what was pushed before. */
  async function publish(step: Step): Promise<void> {
    const refs = [...new Set([...local.keys(), ...pushed.keys()])].filter((ref) => local.get(ref) !== pushed.get(ref))
    const changes = refs.map((ref) => ({ ref, oldId: pushed.get(ref) ?? null, newId: local.get(ref) ?? null }))
    await push(services, people[step.by], owned, changes, personAt(step).when + 60)
    pushed.clear()
    for (const [ref, id] of local) pushed.set(ref, id)
  }
}

function applyEdits(files: Files, edits: readonly Edit[]): Files {
  const after = new Map(files)
  for (const edit of edits) after.set(edit.path, applyEdit(after.get(edit.path) ?? "", edit))
  return after
}

function applyEdit(before: string, edit: Edit): string {
  if (edit.kind === "write") return edit.text
  if (edit.kind === "append") return before + edit.text
  const parts = before.split(edit.old)
  if (parts.length !== 2) throw new TypeError(`${edit.path} doesn't have this exactly once: ${edit.old}`)
  return parts.join(edit.text)
}

/** What main and a branch have together; a file that both changed since the branch left would need a person. */
function mergeFiles({ base, files }: Line, main: Files): Files {
  const merged = new Map(main)
  for (const [path, content] of files) {
    if (content === base.get(path)) continue
    if (main.get(path) !== base.get(path) && main.get(path) !== content) throw new TypeError(`both sides changed ${path}`)
    merged.set(path, content)
  }
  return merged
}

async function readFiles({ git }: Pick<Services, "git">, repository: Repository, tree: ObjectId): Promise<Files> {
  const files = new Map<string, string>()
  for (const { name, mode, id } of await git.objects.readTree(repository, tree))
    if (mode === "40000") for (const [path, content] of await readFiles({ git }, repository, id)) files.set(`${name}/${path}`, content)
    else files.set(name, (await git.objects.readBlob(repository, id)).toString("utf8"))
  return files
}

async function writeFiles(services: Pick<Services, "git">, repository: Repository, files: Files): Promise<ObjectId> {
  const { objects } = services.git
  const entries: TreeEntry[] = []
  const folders = new Map<string, Map<string, string>>()
  for (const [path, content] of files) {
    const [name = "", rest] = splitPath(path)
    if (rest === undefined) entries.push({ mode: "100644", name, id: await objects.writeBlob(repository, content) })
    else folders.set(name, (folders.get(name) ?? new Map()).set(rest, content))
  }
  for (const [name, inner] of folders) entries.push({ mode: "40000", name, id: await writeFiles(services, repository, inner) })
  return objects.writeTree(repository, entries)
}

function splitPath(path: string): readonly [string, string | undefined] {
  const slash = path.indexOf("/")
  return slash < 0 ? [path, undefined] : [path.slice(0, slash), path.slice(slash + 1)]
}
