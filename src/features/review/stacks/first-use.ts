/** All of stacks that is loaded when it is first needed, as one part. */

export { follow } from "./follow.ts"
export { mergeStack } from "./merge.ts"
export { presentInterdiff, presentStack, presentVersions } from "./present.ts"
export { prepareSeries } from "./push.ts"
