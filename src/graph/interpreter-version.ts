/**
 * The newest interpreter; docs/versioning.md says how it is changed. What 5 does otherwise than 4:
 *
 * - What has happened while other calls are out is written after some seconds; under 4 it waits for the next call.
 * - What is urgent and has been taken along by a call is not urgent any more; under 4 the next news are, whatever they are.
 * - A run that has called a call back asks the ledger what it did, where it is `unsafe` or could be undone and its activity
 *   can't tell; under 4 it counts as what the activity ends as, such as canceled.
 * - Where nobody knows what one of several calls of a node did, the node waits for a person, whatever else it fails with;
 *   under 4 only subgraphs do.
 * - The error of a run says which calls nobody knows the outcome of; under 4 only what could not be undone.
 *
 * What 4 does otherwise than 3:
 *
 * - Each call of a model waits for room in the budgets that others have only set aside: the next model of a list, a
 *   correction, a summary and what is asked after it, and a beginning that reads more than is left; asking failed before.
 * - Where cost has a limit, a model of a list that has no price is passed over; asking it failed before.
 * - A text among a model's arguments that a tool takes as it is stays text, and one at a place where the tool's schema is
 *   broken is read as the number or boolean that it stands for, whatever keyword of the schema speaks of it.
 * - The next model of a list is asked, too, where the replies of one are of no use: they break the schema after all
 *   corrections, are cut off, or the conversation does not fit even when it is summarized.
 * - Of what looks like JSON in a reply, that counts which fits the schema; what came first did.
 * - What a turn of an agent may still call is not taken from it by tool calls of other nodes.
 * - The `deadline` of a subgraph and of a wait holds: 3 takes no notice of it.
 * - Who passes over an approval that was withdrawn as its task failed has to be somebody who may decide it.
 * - The calls of an llm node, or of a tool node with `calls`, share its `deadline`: under 3 each has all of it.
 *
 * What 3 does otherwise than 2:
 *
 * - Where the call that undoes another one may or may not have done it, the run waits for a person before it goes on undoing.
 * - What a failing run still asks of people and clocks is taken back before it undoes what it has done, not after.
 * - `node.failed` says who has given up a node that waited for an intervention.
 * - `cancel` is taken until a run has ended, also once it is being canceled, or about to fail: it ends as canceled then.
 *
 * What 2 does otherwise than 1:
 *
 * - What a node writes to the channel of its conversation follows on the conversation, and does not take its place.
 * - `$replace` of a channel of messages takes messages only, and gives them ids.
 * - A sum that grows beyond all numbers can't be written.
 * - A model is asked when calls that are out have given back what they had set aside of the budgets, where they had set
 *   aside so much that little was left; before, asking it failed.
 * - A run that was edited as a node stands at the breakpoint before what comes next, and `resume` goes on past it; so
 *   does `replan` to the very node that it stands before.
 */
export const INTERPRETER_VERSION = 5;
