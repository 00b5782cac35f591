import type { Services } from "../../../core/services.ts"

/**
 * The token of a task: forty hex digits like every access token. It follows from the site's key and the task's id, so that it need not be
 * stored to be given again.
 */
export const tokenOfTask = ({ secrets }: Pick<Services, "secrets">, taskId: number): string =>
  Buffer.from(secrets.mac("job token", String(taskId)), "base64url")
    .toString("hex")
    .slice(0, 40)
