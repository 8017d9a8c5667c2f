import { defineConfig } from 'holdfast';
import { bookFlight, bookHotel, cancelBooking, rentCar } from './tools.ts';

export default defineConfig({ tools: [bookFlight, bookHotel, rentCar, cancelBooking] });
