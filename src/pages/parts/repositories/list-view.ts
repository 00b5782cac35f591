import type { Owned } from "../../../access/permission.ts"
import { type Html, html } from "../../../core/html.ts"
import { parseStrings } from "../../../features/code/repositories/present.ts"
import { path, withQuery } from "../../../web/address.ts"
import { dot } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { languageColor } from "../../../web/language-colors.ts"
import { count, plural, time } from "../../../web/time.ts"

/** All repositories of a main language. */
export const languagePath = (language: string): string => withQuery("/explore/repos", { language })

/** Repositories as rows of a list: of explore, a profile, an organisation, search. */
export const repositoryRows = (repositories: readonly Owned[]): Html => html`<ul class="rows">${repositories.map(repositoryRow)}</ul>`

function repositoryRow({ repository, owner }: Owned): Html {
  const at = path(owner.name, repository.name)
  const topics = parseStrings(repository.topics)
  return html`
    <li>
      ${icon(repository.is_mirror === 1 ? "mirror" : repositoryIcon(repository))}
      <div class="main">
        <h2 class="title">
          <a href="${at}">
            <bdi>${owner.name}</bdi> / <bdi>${repository.name}</bdi>
          </a> ${repository.is_private === 1 && html`<span class="chip">Private</span>`}
          ${repository.is_archived === 1 && html`<span class="chip">Archived</span>`}
          ${repository.is_template === 1 && html`<span class="chip">Template</span>`}
        </h2>
        ${repository.description !== "" && html`<p class="break" dir="auto">${repository.description}</p>`}
        ${
          topics.length > 0 &&
          html`
            <p class="bar">
              ${topics.map(
                (topic) => html`<a class="chip topic" href="/explore/repos?q=${encodeURIComponent(topic)}&amp;topic=1">${topic}</a>`,
              )}
            </p>
          `
        }
        <p class="meta">
          ${
            repository.language !== "" &&
            html`
              <a href="${languagePath(repository.language)}">
                ${dot(languageColor(repository.language))} ${repository.language}
              </a>
            `
          }
          <a href="${at}/stars">
            ${icon("star", plural(repository.stars_count, "star"))} <span aria-hidden="true">${count(repository.stars_count)}</span>
          </a>
          <a href="${at}/forks">
            ${icon("repo-forked", plural(repository.forks_count, "fork"))} <span aria-hidden="true">${count(repository.forks_count)}</span>
          </a>
          <span>Updated ${time(repository.updated_at)}</span>
        </p>
      </div>
    </li>
  `
}

/** What tells private repositories and forks from others. */
export const repositoryIcon = ({ is_private, fork_of_id }: Owned["repository"]): IconName =>
  is_private === 1 ? "repo-locked" : fork_of_id !== null ? "repo-forked" : "repo"
