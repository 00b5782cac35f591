import { mineOnRepository, onRepository } from "../../access/policies/repositories.ts"
import { t } from "../../core/language/message.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { star, unstar } from "../../features/code/stars/rules.ts"
import { findStargazers } from "../../features/code/stars/store.ts"
import { repositoryPath } from "../../web/address.ts"
import { empty } from "../../web/components.ts"
import { peoplePage } from "./people.ts"

export const starPages: readonly Page[] = [
  page({
    id: "repository.stars",
    address: "GET /{owner}/{repo}/stars",
    access: onRepository,
    answer: async (call) =>
      peoplePage(call, {
        title: t("Stars"),
        found: await findStargazers(call.db, call.actor, call.repository.id, call.page),
        empty: empty("star", t("No one has starred this repository yet"), t("Star it to find it again on your profile.")),
      }),
  }),

  page({
    id: "repository.star",
    address: "POST /{owner}/{repo}/action/star",
    access: mineOnRepository,
    undoneBy: ["repository.unstar"],
    answer: async (call) => {
      const { services, actor, repository } = call
      await services.database.write((tx) => star(tx, actor, repository.id, services.now()))
      return moved(repositoryPath(call), { flash: t("Starred."), undo: { form: "repository.unstar", path: call.path, fields: {} } })
    },
  }),

  page({
    id: "repository.unstar",
    address: "POST /{owner}/{repo}/action/unstar",
    access: mineOnRepository,
    undoneBy: ["repository.star"],
    answer: async (call) => {
      const { services, me, repository } = call
      await services.database.write((tx) => unstar(tx, me, repository.id))
      return moved(repositoryPath(call), { flash: t("Star removed."), undo: { form: "repository.star", path: call.path, fields: {} } })
    },
  }),
]
