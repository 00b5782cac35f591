import { onVisibleUser } from "../../access/policies/people.ts"
import { anyone } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { path } from "../../web/address.ts"
import { exploreTabs } from "../../web/explore.ts"
import { codeSearch, codeSearchFields } from "../parts/code-results.ts"

export const codeSearchPages: readonly Page[] = [
  page({
    id: "explore.code",
    address: "GET /explore/code",
    access: anyone,
    mayBeOld: true,
    query: codeSearchFields,
    answer: async (call) => ({
      kind: "shown",
      title: t("Explore code"),
      unlisted: true,
      body: html`
        <h1>Explore</h1>
        ${exploreTabs("code")}${await codeSearch(call, { action: "/explore/code" })}
      `,
    }),
  }),

  page({
    id: "owner.code",
    address: "GET /{username}/-/code",
    access: onVisibleUser,
    query: codeSearchFields,
    answer: async (call) => {
      const { user } = call
      return {
        kind: "shown",
        title: t("Code · {name}", { name: user.name }),
        unlisted: true,
        body: html`
          <p class="crumbs"><a class="strong" href="${path(user.name)}"><bdi>${user.name}</bdi></a></p>
          <h1>Code</h1>
          ${await codeSearch(call, {
            action: path(user.name, "-", "code"),
            scope: { ownerId: user.id },
            placeholder: t("Search the code of {name}", { name: user.name }),
          })}
        `,
      }
    },
  }),
]
