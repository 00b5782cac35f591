import { mapInBatches } from "../../../../core/batches.ts"
import { attribute, type Content, type Html, html } from "../../../../core/html.ts"
import { type Text, t } from "../../../../core/language/message.ts"
import type { Located, OnCode } from "../../../../features/code/contents/locate.ts"
import { listCommitsForPages } from "../../../../features/code/history/list.ts"
import { type EntryHistory, treeHistory } from "../../../../features/code/history/tree-history.ts"
import type { Commit, Git, Repository, TreeEntry } from "../../../../git/index.ts"
import { codePath } from "../../../../web/address.ts"
import { pager } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import type { IconName } from "../../../../web/icon-names.ts"
import { number, time } from "../../../../web/time.ts"
import { commitLink, commitPerson, idLink, restOfMessage, signatureMark, statusMark, subjectOf } from "../../../parts/code/commits-view.ts"

const ICONS: Readonly<Record<TreeEntry["mode"], readonly [IconName, Text]>> = {
  "40000": ["file-directory-fill", t("Folder")],
  "100644": ["file", t("File")],
  "100755": ["file", t("File")],
  "120000": ["file-symlink-file", t("Symbolic link")],
  "160000": ["file-submodule", t("Submodule")],
}

const isFolder = ({ mode }: TreeEntry): boolean => mode === "40000"

/** Folders first, then files, each by name. */
const inOrder = (entries: readonly EntryHistory[]): readonly EntryHistory[] => [
  ...entries.filter(isFolder),
  ...entries.filter((entry) => !isFolder(entry)),
]

/** The most folders that are looked into, and how deep, for folders that hold nothing but another one. */
const MOST_FOLDED = 50
const DEEPEST_FOLDED = 8

/** The names of a folder and those below it, as long as each holds only another folder. Reads trees in this process. */
async function folded(git: Git, repository: Repository, folder: TreeEntry): Promise<readonly string[]> {
  const names = [folder.name]
  for (let at = folder; names.length < DEEPEST_FOLDED; ) {
    const [only, ...others] = await git.objects.readTree(repository, at.id)
    if (!only || others.length > 0 || !isFolder(only)) break
    names.push(only.name)
    at = only
  }
  return names
}

/** The most entries on one page of a folder. */
const ROWS = 1000

/** The page of a list that a folder is shown as. */
export interface FolderPage {
  readonly url: string
  readonly number: number
}

/** A page of the entries of a folder as a table, each with its last change; what is not known yet is computed in the background. */
export async function treeView(call: OnCode, located: Located, { url, number: page }: FolderPage): Promise<Html> {
  const { services, db } = call
  const { revision, git, parts } = located
  const history = await treeHistory(services, db, call, revision.commit, parts)
  const all = inOrder(history?.entries ?? [])
  const entries = all.slice((page - 1) * ROWS, page * ROWS)
  const names = new Map(
    await mapInBatches(
      entries.filter(isFolder).slice(0, MOST_FOLDED),
      async (folder) => [folder.name, await folded(services.git, git, folder)] as const,
    ),
  )
  const isComplete = history?.isComplete !== false
  const found = all.filter(({ last }) => last !== undefined).length
  // While last commits are being found, the script asks for this element again.
  return html`
    <div id="listing" ${attribute("data-again", !isComplete && "2")}>
    ${
      !isComplete &&
      html`
        <p class="inside muted small finding">
          Finding the last commits… ${number(found)} of ${number(all.length)} so far.
          <noscript>Reload the page to see more.</noscript>
        </p>
      `
    }
    <table class="tree">
      <colgroup><col class="name"><col class="change"><col class="when"></colgroup>
      <thead class="hidden-text">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Last change</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        ${parts.length > 0 && parentRow(codePath(call, "src", revision, parts.slice(0, -1)))}
        ${entries.map((entry) => entryRow(call, located, entry, isComplete, names.get(entry.name)))}
      </tbody>
    </table>
    ${pager(url, { number: page, limit: ROWS, offset: 0 }, all.length)}
    </div>
  `
}

const parentRow = (href: string): Html =>
  html`
    <tr>
      <td class="name">
        <a href="${href}">
          ${icon("file-directory-fill")} .. <span class="hidden-text">Parent folder</span>
        </a>
      </td>
      <td class="change"></td>
      <td class="when"></td>
    </tr>
  `

/** `names` are those of a folder and of the only ones in it. */
function entryRow(
  call: OnCode,
  { revision, parts }: Located,
  { name, id, mode, last }: EntryHistory,
  isComplete: boolean,
  names: readonly string[] = [name],
): Html {
  const [look, kind] = ICONS[mode]
  return html`
    <tr>
      <td class="name">
        ${icon(look, kind)} ${
          mode === "160000"
            ? html`<bdi>${name}</bdi> <code>${id.slice(0, 10)}</code>`
            : html`
              <a href="${codePath(call, "src", revision, [...parts, ...names])}">
                ${names.length > 1 && html`<span class="muted">${names.slice(0, -1).join("/")}/</span>`}
                <bdi>${names.at(-1)}</bdi>
              </a>
            `
        }
      </td>
      ${
        last
          ? html`
            <td class="change">${commitLink(call, last, "muted")}</td>
            <td class="when">${time(last.committedAt)}</td>
          `
          : html`
            <td class="change muted">${!isComplete && "…"}</td>
            <td class="when"></td>
          `
      }
    </tr>
  `
}

/** The newest commit, above a tree or a file. By its id a file asks for it again that was shown without. */
export async function latestCommit(call: OnCode, commit: Commit, more?: Content): Promise<Html> {
  const [listed] = await listCommitsForPages(call.services, call.db, call, [commit])
  const who = commitPerson(listed?.author, commit.author)
  return html`
    <div class="head latest" id="latest">
      ${who}
      <span class="break grow">
        ${commitLink(call, { id: commit.id, subject: subjectOf(commit) }, "muted")} ${restOfMessage(commit)}
      </span>
      ${listed && statusMark(listed.status)}${listed && signatureMark(listed.verification)}${idLink(call, commit.id)}
      <span class="muted small">${time(commit.committer.when)}</span>${more}
    </div>
  `
}
