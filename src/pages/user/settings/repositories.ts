import { signedIn } from "../../../access/policies/site.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Page, page } from "../../../core/page.ts"
import { ownedBy } from "../../../features/code/repositories/search-store.ts"
import { empty } from "../../../web/components.ts"
import { repositoryFilters, repositoryList } from "../../parts/repositories/list.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const MINE = `${SETTINGS_PATH}/repos` as const

/** The repositories that a person owns. */
export const ownRepositoryPages: readonly Page[] = [
  page({
    id: "personal.repositories",
    address: `GET ${MINE}`,
    access: signedIn,
    query: repositoryFilters,
    answer: async (call) =>
      personalSettings({
        part: "repositories",
        title: t("Repositories"),
        body: html`
          <h1>Repositories</h1>
          <p class="muted">
            <a href="/repo/imports">Your imports, and several at once</a> · <a href="${SETTINGS_PATH}/deleted">Deleted repositories</a>
          </p>
          ${await repositoryList(call, {
            action: MINE,
            where: [ownedBy(call.me.id)],
            empty: empty("repo", t("No repositories yet"), t("Repositories that you own are listed here.")),
          })}
        `,
      }),
  }),
]
