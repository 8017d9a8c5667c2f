export {
  approvalInWords,
  approveCommand,
  eventInWords,
  quoteForShell,
  retryInWords,
  waitingInWords,
  whoDecides,
} from './wording.ts';
