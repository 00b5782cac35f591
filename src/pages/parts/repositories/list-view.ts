import { type Html, html } from "../../../core/html.ts"
import type { Repository } from "../../../features/code/repositories/records.ts"
import { localPath, path, withQuery } from "../../../web/address.ts"
import { dot } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { languageColor } from "../../../web/language-colors.ts"
import { count, timeOf } from "../../../web/time.ts"

/** All repositories of a main language. */
export const languagePath = (language: string): string => withQuery("/explore/repos", { language })

/** Repositories as rows of a list: of explore, a profile, an organisation, search. */
export const repositoryRows = (repositories: readonly Repository[]): Html =>
  html`
    <ul class="rows">
      ${repositories.map(
        (repository) =>
          html`
            <li>
              ${icon(repository.mirror ? "mirror" : repository.private ? "repo-locked" : repository.fork ? "repo-forked" : "repo")}
              <div class="main">
                <h2 class="title">
                  <a href="${localPath(repository.html_url)}">
                    <bdi>${repository.owner.login}</bdi> / <bdi>${repository.name}</bdi>
                  </a> ${repository.private && html`<span class="chip">Private</span>`}
                  ${repository.archived && html`<span class="chip">Archived</span>`}
                  ${repository.template && html`<span class="chip">Template</span>`}
                </h2>
                ${repository.description !== "" && html`<p class="break" dir="auto">${repository.description}</p>`}
                ${
                  repository.topics.length > 0 &&
                  html`
                    <p class="bar">
                      ${repository.topics.map(
                        (topic) =>
                          html`<a class="chip topic" href="/explore/repos?q=${encodeURIComponent(topic)}&amp;topic=1">${topic}</a>`,
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
                  <a href="${path(repository.owner.login, repository.name, "stars")}">
                    ${icon("star")} ${count(repository.stars_count)}<span class="hidden-text"> stars</span>
                  </a>
                  <a href="${path(repository.owner.login, repository.name, "forks")}">
                    ${icon("repo-forked")} ${count(repository.forks_count)}<span class="hidden-text"> forks</span>
                  </a>
                  <span>Updated ${timeOf(repository.updated_at)}</span>
                </p>
              </div>
            </li>
          `,
      )}
    </ul>
  `
