import { Mode } from "../../../../access/modes.ts"
import { unitMode } from "../../../../access/permission.ts"
import { onRepositoryUnitRead } from "../../../../access/policies/repositories.ts"
import { refuse } from "../../../../core/errors.ts"
import { type Html, html } from "../../../../core/html.ts"
import { type Text, t } from "../../../../core/language/message.ts"
import { moved, type Page, type PageAnswer, type PageInput, page, sentText } from "../../../../core/page.ts"
import Type from "../../../../core/schema.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import { explicitForm, type Located, locateCode, locateDefault, type OnCode } from "../../../../features/code/contents/locate.ts"
import { findEntry } from "../../../../features/code/contents/paths.ts"
import { findLanguages } from "../../../../features/code/languages/store.ts"
import { releaseUrl } from "../../../../features/code/releases/present.ts"
import { findLatestRelease } from "../../../../features/code/releases/store.ts"
import { parseStrings } from "../../../../features/code/repositories/present.ts"
import { repositorySshUrl } from "../../../../features/code/repositories/urls.ts"
import { findImportOf } from "../../../../features/site/migration/imports-store.ts"
import type { TreeEntry } from "../../../../git/index.ts"
import { codePath, repositoryPath, revisionPath } from "../../../../web/address.ts"
import { copyButton, filterForm, menu, notice, shares } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import { languageColor } from "../../../../web/language-colors.ts"
import { bytes, count, time } from "../../../../web/time.ts"
import { finderLink } from "../../../parts/code/finder.ts"
import { editing, pathCrumbs, revisionMenu } from "../../../parts/code/parts.ts"
import { nearestField, nearestPlace } from "../../../parts/code/revisions.ts"
import { languagePath } from "../../../parts/repositories/list-view.ts"
import { repositoryPage } from "../../frame.ts"
import { fileTree, folderList } from "./file-tree.ts"
import { type FileOptions, fileView, readmeView } from "./file-view.ts"
import { pushedBranches } from "./pushed-branches.ts"
import { type FolderPage, latestCommit, treeView } from "./tree-view.ts"

const access = onRepositoryUnitRead("code")

/** Pages of the code: folders and files at a branch, a tag or a commit. */
export const browsePages: readonly Page[] = [
  page({
    id: "repository.home",
    address: "GET /{owner}/{repo}",
    access,
    answer: async (call) => {
      const located = await locateDefault(call)
      return located ? codePage(call, located, { isHome: true, asSource: false, from: 1, folder: folderPageOf(call) }) : emptyPage(call)
    },
  }),
  page({ id: "code.home", address: "GET /{owner}/{repo}/src", access, answer: (call) => moved(repositoryPath(call)) }),
  page({
    id: "code.browse",
    address: "GET /{owner}/{repo}/src/{filepath}",
    access,
    query: {
      display: Type.Optional(Type.String()),
      from: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 })),
      ...nearestField,
    },
    answer: async (call) => {
      const located = await locateCode(call, call.path.filepath)
      if (!located) return moved(`${repositoryPath(call)}/src/${await explicitForm(call, call.path.filepath)}`)
      if (call.query.nearest === true) return nearestPlace(call, "src", located)
      const { display, from = 1 } = call.query
      return codePage(call, located, { isHome: false, asSource: display === "source", from, folder: folderPageOf(call) })
    },
  }),
  // What the script of the tree beside files fetches: one folder of it.
  page({
    id: "code.list",
    address: "GET /{owner}/{repo}/tree-list/{filepath}",
    access,
    answer: async (call) => {
      const located = await locateCode(call, call.path.filepath)
      const { services } = call
      const folder = located && (await findEntry(services.git, located.git, located.revision.commit.tree, located.parts))
      if (!located || folder?.mode !== "40000") throw refuse.notFound()
      const list = await folderList(call, located, folder.id, located.parts.length)
      return sentText("text/html;charset=utf-8", list, { "content-security-policy": "default-src 'none'; sandbox" })
    },
  }),
  // Addresses as another forge has them.
  ...(["tree", "blob"] as const).map((word) =>
    page({
      id: `code.${word}`,
      address: `GET /{owner}/{repo}/${word}/{filepath}`,
      access,
      answer: async (call) => moved(`${repositoryPath(call)}/src/${await explicitForm(call, call.path.filepath)}`),
    }),
  ),
]

const folderPageOf = ({ page: { number }, reader: { url } }: Pick<PageInput, "page" | "reader">): FolderPage => ({ url, number })

async function codePage(
  call: OnCode,
  located: Located,
  { isHome, folder, ...shown }: FileOptions & { readonly isHome: boolean; readonly folder: FolderPage },
): Promise<PageAnswer> {
  const { services, repository } = call
  const { git, revision, parts } = located
  const entry = await findEntry(services.git, git, revision.commit.tree, parts)
  if (!entry || entry.mode === "160000") throw refuse.notFound()
  const common = {
    tab: "code",
    unlisted: revision.kind !== "branch" || revision.name !== repository.default_branch,
    ...(revision.kind === "branch" ? { feed: `${repositoryPath(call)}/atom/${revisionPath(revision)}` } : {}),
  } as const
  const at = t("{value} at {name}", { value: parts.length === 0 ? t("Code") : parts.join("/"), name: revision.name })
  if (entry.mode === "40000")
    return repositoryPage(call, {
      ...common,
      modules: ["finder", "refs", "again"],
      title: isHome ? repository.description.slice(0, 100) : at,
      body: await folderView(call, located, entry, folder, isHome),
    })
  const { body: file, isUnfinished } = await fileView(call, located, entry, shown)
  return repositoryPage(call, {
    ...common,
    title: at,
    isUnfinished,
    modules: ["code", "files", "finder", "refs", "again"],
    body: html`
      <h1 class="hidden-text">${parts.join("/")}</h1>
      <div class="bar">
        ${revisionMenu(call, located, "src")}${pathCrumbs(call, located, "src")}
        <span class="end"></span>${finderLink(call, located, true)}
      </div>
      <div class="with-tree">${await fileTree(call, located)}${file}</div>
    `,
  })
}

async function folderView(call: OnCode, located: Located, entry: TreeEntry, folder: FolderPage, isHome: boolean): Promise<Html> {
  const { repository, owner } = call
  const { revision, parts } = located
  const history = html`<a class="button small quiet" href="${codePath(call, "commits", revision, parts)}">${icon("history")}History</a>`
  const listing = html`
    ${await folderTools(call, located)}
    <div class="card tree-card">
      ${await latestCommit(call, revision.commit, history)}${await treeView(call, located, folder)}
    </div>
    ${await readmeView(call, located, entry)}
  `
  if (parts.length > 0) return html`<h1 class="hidden-text">${parts.join("/")}</h1>${listing}`
  const isDefault = revision.kind === "branch" && revision.name === repository.default_branch
  return html`
    <h1 class="hidden-text">Code of ${owner.name}/${repository.name}</h1>
    ${isHome && (await pushedBranches(call))}
    <div class="columns">
      <div>${listing}</div>
      <aside class="side" aria-label="About">
        ${await aboutView(call, isDefault ? {} : { ref: revision.name })}
      </aside>
    </div>
  `
}

async function folderTools(call: OnCode, located: Located): Promise<Html> {
  const at = repositoryPath(call)
  return html`
    <div class="bar">
      ${revisionMenu(call, located, "src")}
      ${
        located.parts.length > 0
          ? pathCrumbs(call, located, "src")
          : html`
            <a class="button small quiet" href="${at}/branches">
              ${icon("git-branch")}${count(call.repository.branches_count)}<span class="wide-only"> branches</span>
            </a>
            <a class="button small quiet" href="${at}/tags">${icon("tag")}<span class="wide-only">Tags</span></a>
          `
      }
      <span class="end"></span>${finderLink(call, located)}${addMenu(call, located)}${cloneMenu(call, located)}
    </div>
  `
}

function cloneMenu(call: OnCode, { revision }: Located): Html {
  const { services, owner, repository } = call
  const at = repositoryPath(call)
  const https = `${services.site.rootUrl}${at}.git`
  const archive = `${at}/archive/${escapePath(revision.name)}`
  return menu(
    html`${icon("code")}Clone${icon("triangle-down")}`,
    html`
      <div class="inside stack clone">
        ${cloneField("https", https.startsWith("https:") ? "HTTPS" : "HTTP", https)}
        ${services.site.sshPort !== undefined && cloneField("ssh", "SSH", repositorySshUrl(services.site, owner.name, repository.name))}
      </div>
      <hr>
      <a href="${archive}.zip" rel="nofollow">${icon("file-zip")}Download as ZIP</a>
      <a href="${archive}.tar.gz" rel="nofollow">${icon("file-zip")}Download as tar.gz</a>
    `,
    { name: "button primary" },
  )
}

const cloneField = (id: string, label: Text, value: string): Html =>
  html`
    <div class="field">
      <label for="clone-${id}">${label}</label>
      <div class="bar">
        <input id="clone-${id}" readonly value="${value}">
        ${copyButton(value, icon("copy", t("Copy the {label} address", { label })))}
      </div>
    </div>
  `

/** What a repository is about, at the side of its front page. */
async function aboutView(call: OnCode, searched: { readonly ref?: string }): Promise<Html> {
  const { db, repository } = call
  const at = repositoryPath(call)
  const release = repository.has_releases === 1 ? await findLatestRelease.first(db, { repositoryId: repository.id }) : undefined
  return html`
    ${aboutSection(call)}
    ${
      release &&
      html`
        <section>
          <h2>Latest release</h2>
          <p>
            <a class="strong" href="${releaseUrl(at, release)}">${icon("tag")} ${release.title || release.tag_name}</a>
          </p>
          <p class="muted small">${time(release.created_at)}</p>
        </section>
      `
    }
    ${await languagesView(call)}
    <section>
      <h2>Search</h2>
      ${filterForm(`${at}/search`, "", t("Search this code"), searched)}
    </section>
  `
}

function aboutSection(call: OnCode): Html {
  const { description, website, topics, licenses, git_size, lfs_size } = call.repository
  const topicLinks = parseStrings(topics).map(
    (topic) => html`<a class="chip topic" href="/explore/repos?q=${encodeURIComponent(topic)}&amp;topic=1">${topic}</a>`,
  )
  return html`
    <section>
      <h2>About</h2>
      ${description === "" ? html`<p class="muted">No description.</p>` : html`<p class="break" dir="auto">${description}</p>`}
      ${
        /^https?:\/\//.test(website) &&
        html`
          <p class="break">
            ${icon("link")} <a href="${website}" rel="nofollow ugc noopener">${website.replace(/^https?:\/\//, "")}</a>
          </p>
        `
      }
      ${topicLinks.length > 0 && html`<p class="bar">${topicLinks}</p>`}
      <ul class="plain stack tight muted small">
        ${parseStrings(licenses).map((license) => html`<li>${icon("law")} ${license}</li>`)}
        <li>${icon("database")} ${bytes(git_size + lfs_size)}</li>
        <li><a href="${repositoryPath(call)}/activity">${icon("pulse")} Activity</a></li>
      </ul>
    </section>
  `
}

async function languagesView({ db, repository }: OnCode): Promise<Html | undefined> {
  const row = await findLanguages.first(db, { repositoryId: repository.id })
  const read: unknown = row ? JSON.parse(row.bytes) : {}
  const all =
    typeof read === "object" && read !== null
      ? Object.entries(read).map(([name, size]) => ({ name, color: languageColor(name), part: Number(size) }))
      : []
  const whole = all.reduce((sum, { part }) => sum + part, 0)
  if (whole === 0) return undefined
  const shown = all.filter(({ part }) => part / whole >= 0.005).slice(0, 8)
  return html`
    <section>
      <h2>Languages</h2>
      ${shares(shown)}
      <ul class="plain bar small">
        ${shown.map(
          ({ name, color, part }) =>
            html`
              <li>
                <svg class="dot icon" viewBox="0 0 10 10" aria-hidden="true">
                  <circle cx="5" cy="5" r="5" fill="${color}"/>
                </svg> <a href="${languagePath(name)}">${name}</a>${" "}
                <span class="muted">${((part / whole) * 100).toFixed(1)}%</span>
              </li>
            `,
        )}
      </ul>
    </section>
  `
}

function addMenu(call: OnCode, located: Located): Html | undefined {
  const edit = editing(call, located)
  if (!edit) return undefined
  return menu(
    html`${icon("plus")}Add<span class="wide-only"> file</span>${icon("triangle-down")}`,
    html`
      <a href="${edit.at("_new")}" rel="nofollow">${icon("file")}New file</a>
      ${
        edit.writes &&
        html`
          <a href="${edit.at("_upload")}" rel="nofollow">${icon("upload")}Upload file</a>
          <a href="${edit.at("_diffpatch")}" rel="nofollow">${icon("diff")}Apply patch</a>
        `
      }
    `,
    { name: "button" },
  )
}

/** An empty repository: how to fill it, for those who may. */
async function emptyPage(call: OnCode): Promise<PageAnswer> {
  const { services, db, repository, owner, permission } = call
  const branch = repository.default_branch
  const mayWrite = unitMode(permission, repository, "repo.code") >= Mode.write && repository.is_archived === 0
  const brought = mayWrite ? await findImportOf.first(db, { repositoryId: repository.id }) : undefined
  const https = `${services.site.rootUrl}${repositoryPath(call)}.git`
  const ssh = services.site.sshPort === undefined ? undefined : repositorySshUrl(services.site, owner.name, repository.name)
  return repositoryPage(call, {
    tab: "code",
    title: "",
    body: html`
      <h1 class="hidden-text">Code</h1>
      ${
        brought && permission.mode >= Mode.admin
          ? notice("info", html`This repository is being imported. <a href="${repositoryPath(call)}/import">See the progress.</a>`)
          : notice("info", t("This repository is empty."))
      }
      ${
        mayWrite &&
        html`
          <p>
            <a
              class="button primary"
              href="${repositoryPath(call)}/_new/${escapePath(branch)}?filename=README.md"
              rel="nofollow"
            >
              ${icon("plus")}Create file
            </a>
          </p>
          <section class="card">
            <div class="head">
              <h2>Clone</h2>
            </div>
            <div class="inside stack clone">
              ${cloneField("https", https.startsWith("https:") ? "HTTPS" : "HTTP", https)}${ssh && cloneField("ssh", "SSH", ssh)}
            </div>
          </section>
          <section class="card">
            <div class="head">
              <h2>Getting started on the command line</h2>
            </div>
            <div class="inside stack">
              <p>A new project:</p>
              <div class="prose"><pre tabindex="0"><code>${newProject({ name: repository.name, branch, https })}</code></pre></div>
              <p>Push an existing repository:</p>
              <div class="prose"><pre tabindex="0"><code>${existingProject({ branch, https })}</code></pre></div>
            </div>
          </section>
        `
      }
    `,
  })
}

interface Remote {
  readonly branch: string
  readonly https: string
}

const newProject = ({ name, branch, https }: Remote & { readonly name: string }): string =>
  [
    `git init -b ${branch}`,
    `echo "# ${name}" > README.md`,
    "git add README.md",
    'git commit -m "Begin"',
    existingProject({ branch, https }),
  ].join("\n")

const existingProject = ({ branch, https }: Remote): string => [`git remote add origin ${https}`, `git push -u origin ${branch}`].join("\n")
