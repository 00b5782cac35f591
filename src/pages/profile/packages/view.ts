import type { User } from "../../../core/actor.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { VersionView } from "../../../features/packages/packages/present.ts"
import type { Description, Registry } from "../../../features/packages/packages/registry.ts"
import type { FileWithBlob, ListedPackage, Package } from "../../../features/packages/packages/store.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { copyButton, notice, personWithAvatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { bytes, plural, time } from "../../../web/time.ts"

/** Packages as pages show them. */

export const TYPE_TEXTS: Readonly<Record<string, Text>> = { generic: t("Generic"), npm: "npm" }
const TYPE_ICONS: Readonly<Record<string, IconName>> = { generic: "file-zip", npm: "package" }

const typeText = (type: string): Text => TYPE_TEXTS[type] ?? type

/** The path of a package; its page is that of the newest version. */
export const packagePath = ({ owner, of }: { readonly owner: Pick<User, "name">; readonly of: Pick<Package, "type" | "name"> }): string =>
  path(owner.name, "-", "packages", of.type, of.name)

const versionPath = (view: VersionView): string => `${packagePath(view)}${path(view.version.version)}`

/** Packages as rows, each by its newest version. */
export const packageRows = (packages: readonly (VersionView & ListedPackage)[], now: number): Html =>
  html`
    <ul class="rows">
      ${packages.map(
        (each) =>
          html`
            <li>
              ${icon(TYPE_ICONS[each.of.type] ?? "package")}
              <div class="main">
                <h2 class="title">
                  <a href="${packagePath(each)}"><bdi>${each.of.name}</bdi></a>${" "}
                  <span class="chip">${typeText(each.of.type)}</span>
                </h2>
                <p class="meta">
                  <a href="${versionPath(each)}">${icon("tag")} <bdi>${each.version.version}</bdi></a>
                  <span>${publishedBy(each, now)}</span>
                  ${
                    each.linked &&
                    html`
                      <a href="${repositoryPath(each.linked)}">
                        ${icon("repo")} <bdi>${each.linked.owner.name}/${each.linked.repository.name}</bdi>
                      </a>
                    `
                  }
                  <a href="${packagePath(each)}/versions">${icon("versions")} ${plural(each.versions, "version")}</a>
                </p>
              </div>
            </li>
          `,
      )}
    </ul>
  `

const publishedBy = ({ version, creator }: VersionView, now: number): Html =>
  html`published ${time(version.created_at, now)} by <a href="${path(creator.name)}"><bdi>${creator.name}</bdi></a>`

/** Versions of one package as rows. */
export const versionRows = (versions: readonly VersionView[], now: number): Html =>
  html`
    <ul class="rows">
      ${versions.map(
        (each) =>
          html`
            <li>
              ${icon("tag")}
              <div class="main">
                <h2 class="title"><a href="${versionPath(each)}"><bdi>${each.version.version}</bdi></a></h2>
                <p class="meta"><span>${publishedBy(each, now)}</span></p>
              </div>
            </li>
          `,
      )}
    </ul>
  `

export interface Whole {
  readonly view: VersionView
  /** What leads to the settings, for those who may change them. */
  readonly settings: Html | undefined
  /** Undefined for a type that has no registry any more. */
  readonly registry: Registry | undefined
  readonly description: Description
  readonly readme: Html | undefined
  readonly files: readonly FileWithBlob[]
  /** The tags that name the version. */
  readonly tags: readonly string[]
  /** The newest versions. */
  readonly versions: readonly VersionView[]
  readonly versionsTotal: number
  readonly now: number
}

export function versionView(whole: Whole): Html {
  const { view, settings, description, readme, tags, files } = whole
  const { of, version } = view
  return html`
    <div class="bar">
      <div class="bar">
        <h1><bdi>${of.name}</bdi> <span class="muted"><bdi>${version.version}</bdi></span></h1>
        <span class="chip">${typeText(of.type)}</span>
        ${tags.map((tag) => html`<span class="chip">${icon("tag")}${tag}</span>`)}
        ${of.is_restricted === 1 && html`<span class="chip">${icon("lock")}Restricted</span>`}
      </div>
      ${settings}
    </div>
    ${description.deprecated && notice("warn", html`This version is deprecated: <span dir="auto">${description.deprecated}</span>`)}
    ${description.summary && html`<p class="break" dir="auto">${description.summary}</p>`}
    <div class="columns">
      <div>
        ${commandsView(whole)}
        ${
          readme &&
          html`
            <section class="card" aria-label="README">
              <div class="inside">${readme}</div>
            </section>
          `
        }
        ${(description.needs ?? []).map(needsView)}
        ${files.length > 0 && filesView(whole)}
      </div>
      <aside class="side" aria-label="About the version">${factsView(whole)}</aside>
    </div>
  `
}

const needsView = ({ title, packages }: NonNullable<Description["needs"]>[number]): Html =>
  html`
    <section class="card">
      <div class="head">
        <h2>${title}</h2>
        <span class="count">${packages.length}</span>
      </div>
      <div class="scrolls" tabindex="0" role="group" aria-label="${title}">
        <table class="data">
          <thead>
            <tr>
              <th>Name</th>
              <th>Version</th>
            </tr>
          </thead>
          <tbody>
            ${packages.map(
              ([name, range]) =>
                html`
                  <tr>
                    <td class="break"><bdi>${name}</bdi></td>
                    <td class="mono"><bdi>${range}</bdi></td>
                  </tr>
                `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  `

function commandsView({ description: { commands }, view: { of, linked } }: Whole): Content {
  if (commands.length === 0) return undefined
  const isHidden = of.is_restricted === 1 || linked?.repository.is_private === 1
  return html`
    <section class="card">
      <div class="head">
        <h2>Install</h2>
      </div>
      <div class="inside stack">
        ${commands.map(
          ({ title, text }) =>
            html`
              <div class="stack tight">
                <p class="break">${title}</p>
                <div class="bar nowrap">
                  <pre class="commands" tabindex="0"><code>${text}</code></pre>
                  ${copyButton(text, icon("copy", t("Copy")))}
                </div>
              </div>
            `,
        )}
        ${
          isHidden &&
          html`<p class="muted small">This package is not public: tools need a token with the scope <code>read:package</code>.</p>`
        }
      </div>
    </section>
  `
}

/** The most files that are listed; the API has all. */
const MOST_FILES = 200

function filesView({ view: { owner, of, version }, registry, files }: Whole): Html {
  return html`
    <section class="card">
      <div class="head">
        <h2>Files</h2>
        <span class="count">${files.length}</span>
      </div>
      <div class="scrolls" tabindex="0" role="group" aria-label="Files">
        <table class="data">
          <thead>
            <tr>
              <th>Name</th>
              <th class="number">Size</th>
              <th>Digests</th>
            </tr>
          </thead>
          <tbody>
            ${files.slice(0, MOST_FILES).map(
              (file) =>
                html`
                  <tr>
                    <td class="break">
                      ${
                        registry
                          ? html`
                            <a href="${registry.filePath(owner, { name: of.name, version: version.version, fileName: file.name })}">
                              <bdi>${file.name}</bdi>
                            </a>
                          `
                          : html`<bdi>${file.name}</bdi>`
                      }
                    </td>
                    <td class="number">${bytes(file.size)}</td>
                    <td>
                      <details class="small">
                        <summary>SHA-256 <code>${file.sha256.slice(0, 12)}…</code></summary>
                        <dl class="facts break">
                          ${(["sha256", "sha512", "sha1", "md5"] as const).map(
                            (name) => html`
                              <dt>${name}</dt>
                              <dd><code>${file[name]}</code></dd>
                            `,
                          )}
                        </dl>
                      </details>
                    </td>
                  </tr>
                `,
            )}
          </tbody>
        </table>
      </div>
      ${files.length > MOST_FILES && html`<p class="inside muted small">And ${files.length - MOST_FILES} more.</p>`}
    </section>
  `
}

function factsView({ view, description, files, versions, versionsTotal, now }: Whole): Html {
  const { linked, creator, version } = view
  const { license, website = "", keywords = [] } = description
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return html`
    <section>
      <h2>About</h2>
      <ul class="plain stack tight small">
        <li>${icon("upload")} Published ${time(version.created_at, now)} by ${personWithAvatar(creator)}</li>
        ${
          linked &&
          html`
            <li>
              ${icon("repo")} <a href="${repositoryPath(linked)}"><bdi>${linked.owner.name}/${linked.repository.name}</bdi></a>
            </li>
          `
        }
        ${license && html`<li class="break">${icon("law")} ${license}</li>`}
        ${
          /^https?:\/\//i.test(website) &&
          html`
            <li class="break">
              ${icon("link")} <a href="${website}" rel="nofollow ugc noopener">
                ${website.replace(/^https?:\/\//i, "")}
              </a>
            </li>
          `
        }
        <li>${icon("database")} ${bytes(size)}</li>
      </ul>
      ${keywords.length > 0 && html`<p class="bar">${keywords.map((word) => html`<span class="chip"><bdi>${word}</bdi></span>`)}</p>`}
    </section>
    <section>
      <h2><a href="${packagePath(view)}/versions">Versions</a></h2>
      <ul class="plain stack tight small">
        ${versions.map(
          (each) =>
            html`
              <li>
                <a class="break" href="${versionPath(each)}"><bdi>${each.version.version}</bdi></a>${" "}
                <span class="muted">${time(each.version.created_at, now)}</span>
              </li>
            `,
        )}
      </ul>
      ${
        versionsTotal > versions.length &&
        html`<p class="small"><a href="${packagePath(view)}/versions">All ${versionsTotal} versions</a></p>`
      }
    </section>
  `
}
