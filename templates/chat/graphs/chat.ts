import { END, START, StateGraph } from 'holdfast';

/**
 * An agent that chats, checks the weather, and makes bookings that a person approves. Runs of one thread are one
 * conversation.
 */
export const chat = new StateGraph({ name: 'chat', channels: { messages: { reducer: 'messages' } } })
  .addNode('agent', {
    type: 'agent',
    system: 'You help people who travel. Be brief.',
    messages: 'messages',
    tools: ['weather', 'book_trip'],
  })
  .addSequence([START, 'agent', END]);
