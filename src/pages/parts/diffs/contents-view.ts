import { fileHeadersOf } from "../../../core/disposition.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { modulesIn } from "../../../features/code/contents/modules.ts"
import { type Picture, recognizePicture } from "../../../features/people/avatars/images.ts"
import type { ObjectId } from "../../../git/index.ts"
import { path as pathTo } from "../../../web/address.ts"
import { bytes } from "../../../web/time.ts"
import type { DiffOverview, FileChange, FileDiff } from "./model.ts"

/** What a file of a difference has instead of lines, or beside them: pictures, sizes, submodules. */

type Select = Pick<Services, "git" | "site">

interface RepositoryPaths {
  readonly oldAt: string
  readonly newAt: string
}

export const note = (content: Content): Html => html`<div class="said">${content}</div>`

export async function besideLines(
  services: Select,
  diff: DiffOverview,
  found: FileDiff,
  paths: RepositoryPaths,
): Promise<Html | undefined> {
  const { file, hunks, largeFiles } = found
  if (file.content === "submodule") return note(await submodule(services, diff, file, paths))
  const isPicture = /^image\//.test(fileHeadersOf(file.path).type) && file.content !== "symlink"
  if (largeFiles)
    return html`
      ${note(html`A large file, stored with Git LFS: ${sizes(largeFiles.old, largeFiles.new)}`)}
      ${isPicture && pictures(diff, file, paths, largeFiles.old, largeFiles.new)}
    `
  if (file.content === "binary" || (isPicture && file.oldId !== file.newId)) {
    const [old, made] = await Promise.all([blob(services, diff, file.oldId, isPicture), blob(services, diff, file.newId, isPicture)])
    if (isPicture) return html`${pictures(diff, file, paths, old, made)}${old && made && note(sizes(old, made))}`
    return note(html`A binary file: ${sizes(old, made)}`)
  }
  if (hunks.length > 0 || found.isCut) return undefined
  if (file.oldId === file.newId)
    return note(
      file.oldPath !== undefined && file.oldPath !== file.path
        ? t("{value} without a change of its content.", { value: file.status === "copied" ? t("Copied") : t("Renamed") })
        : t("Only its mode changed."),
    )
  if (diff.whitespace !== "show-all" && file.oldId !== null && file.newId !== null) return note(t("Only whitespace changed."))
  return note(file.status === "added" ? t("An empty file.") : file.status === "deleted" ? t("The file was empty.") : t("No line changed."))
}

// --- sizes and pictures -------------------------------------------------------------------------------------------------------------

interface Blob {
  readonly size: number
  readonly picture?: Picture | undefined
}

/** The largest file that is read for the width and the height of a picture. */
const MOST_READ = 2 ** 20

async function blob({ git }: Select, { repository }: DiffOverview, id: ObjectId | null, isPicture: boolean): Promise<Blob | undefined> {
  const info = id === null ? undefined : await git.objects.info(repository, id)
  if (id === null || !info) return undefined
  const { size } = info
  return isPicture && size <= MOST_READ ? { size, picture: recognizePicture(await git.objects.readBlob(repository, id)) } : { size }
}

function sizes(old: Blob | undefined, made: Blob | undefined): Text {
  if (!old) return made ? bytes(made.size) : t("unknown size")
  if (!made) return t("{size} before", { size: bytes(old.size) })
  const by = made.size - old.size
  const change = by === 0 ? t("the same size") : `${by > 0 ? "+" : "−"}${bytes(Math.abs(by))}`
  return t("{old} → {made} ({change})", { old: bytes(old.size), made: bytes(made.size), change })
}

function pictures(
  { from, to }: DiffOverview,
  { path, oldPath, oldId, newId }: FileChange,
  { oldAt, newAt }: RepositoryPaths,
  old: Blob | undefined,
  made: Blob | undefined,
): Html {
  const figure = (at: string, commit: ObjectId, name: string, words: Text, shown: Blob | undefined): Html => {
    const { width, height } = shown?.picture ?? {}
    // With its size it takes its place before it is loaded.
    const size = width !== undefined && html`width="${width}" height="${height}"`
    return html`
      <figure>
        <img src="${at}/media/commit/${commit}/${escapePath(name)}" alt="${words}" loading="lazy" ${size}>
        <figcaption class="small muted">
          ${words}${width !== undefined && t(": {width} × {height} pixels", { width, height: height ?? 0 })}
          ${shown && `, ${bytes(shown.size)}`}
        </figcaption>
      </figure>
    `
  }
  return html`
    <div class="pictures">
      ${from && oldId && figure(oldAt, from, oldPath ?? path, t("Before"), old)}
      ${newId && figure(newAt, to, path, t("After"), made)}
    </div>
  `
}

// --- submodules ---------------------------------------------------------------------------------------------------------------------

async function submodule(services: Select, diff: DiffOverview, file: FileChange, { newAt, oldAt }: RepositoryPaths): Promise<Html> {
  const { oldId, newId, path, oldPath = path } = file
  const [old, made] = await Promise.all([
    oldId === null || diff.from === null ? undefined : moduleAt(services, diff, diff.from, oldPath, oldAt),
    newId === null ? undefined : moduleAt(services, diff, diff.to, path, newAt),
  ])
  const id = (of: ObjectId, at: string | undefined) => {
    const text = html`<code>${of.slice(0, 12)}</code>`
    return at === undefined ? text : html`<a href="${at}/commit/${of}">${text}</a>`
  }
  const of = made?.url ?? old?.url
  const name =
    of !== undefined &&
    html`
      ${" "}of ${
        of.href === undefined
          ? html`<bdi>${of.text}</bdi>`
          : html`<a href="${of.href}" rel="nofollow ugc noopener"><bdi>${of.text}</bdi></a>`
      }
    `
  if (oldId === null) return html`A submodule${name}, at the commit ${newId && id(newId, made?.at)}.`
  if (newId === null) return html`Submodule${name} removed; it was at commit ${id(oldId, old?.at)}.`
  const at = made?.at
  return html`
    Submodule${name} updated from ${id(oldId, old?.at)} to ${id(newId, at)}.${
      at !== undefined && at === old?.at && html` <a href="${at}/compare/${oldId}...${newId}" rel="nofollow">Compare them</a>`
    }
  `
}

interface Module {
  /** The path of its repository, where it is of this site. */
  readonly at: string | undefined
  readonly url: { readonly text: Text; readonly href: string | undefined }
}

const OWN = "http://own.invalid"

/** What `.gitmodules` of a commit says of a submodule. A URL may be relative to that of the repository, which is at `here`. */
async function moduleAt(
  { git, site }: Select,
  { repository }: DiffOverview,
  commit: ObjectId,
  path: string,
  here: string,
): Promise<Module | undefined> {
  const { tree } = await git.objects.readCommit(repository, commit)
  const text = (await modulesIn(git, repository, tree)).get(path)
  if (text === undefined) return undefined
  const own = text.startsWith(`${site.rootUrl}/`) ? text.slice(site.rootUrl.length) : /^\.\.?\//.test(text) ? text : undefined
  const url = own === undefined ? URL.parse(text) : URL.parse(own, `${OWN}${here}/`)
  const [, owner, name] =
    (own !== undefined && url?.origin === OWN && /^\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(decoded(url.pathname))) || []
  if (owner !== undefined && name !== undefined) {
    const at = pathTo(owner, name)
    return { at, url: { text: `${owner}/${name}`, href: at } }
  }
  return { at: undefined, url: { text, href: url && /^https?:$/.test(url.protocol) && own === undefined ? url.href : undefined } }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}
